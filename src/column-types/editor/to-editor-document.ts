import {
  ALL_BLOCKS,
  ALL_EMPTY_BLOCKS,
  ALL_MARKS,
  attributesOf,
  BLOCKS,
  EMPTY_BLOCKS,
  flagsOf,
  isContainer,
  isVoid,
  MARKS,
  SPANS,
  USUAL_TAGS,
} from './editor-elements.ts'
import type { DocumentDetail, EditorAttributes, EditorMark, EditorNode } from './editor-node.ts'
import { loadParser } from './load-html-libraries.ts'
import { isSafeMarkup } from './rich-text.ts'

/** Blocks that contain text directly; others contain blocks, and text in them is put into a paragraph. */
const TEXT_BLOCKS: ReadonlySet<string> = new Set(['paragraph', 'heading', 'codeBlock', 'tableCaption'])
/** Blocks of which the parts of a list or table are the content. */
const PARTS_ONLY: ReadonlySet<string> = new Set([
  ...['bulletList', 'orderedList', 'table', 'tableSection', 'tableRow', 'tableColumns'],
])
/** HTML's blank characters. A no-break space is none of them: browsers display it. */
const isBlank = (text: string): boolean => /^[\t\n\f\r ]*$/.test(text)
/** Deeper blocks are flattened into the block at this depth; no editor displays them. */
const MAX_DEPTH = 100

/**
 * Each text has the marks around it, so a few elements around many texts make a document that is much longer than the text. What follows so
 * many characters of marks has none; no text of an editor comes near it.
 */
const MAX_MARKS_LENGTH = 16_000_000

/** The editor's JSON document of a WYSIWYG text. A text without markup is a document of its lines. */
export function toEditorDocument(html: string, detail: DocumentDetail = 'json'): EditorNode {
  if (!isSafeMarkup(html)) return documentOfLines(html)
  const builder = new DocumentBuilder(detail)
  const Parser = loadParser()
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => builder.openTag(tag, attributes),
      ontext: (text) => builder.addText(text),
      onclosetag: (tag) => builder.closeTag(tag),
    },
    { decodeEntities: true },
  )
  parser.end(html)
  return builder.finish()
}

function documentOfLines(text: string): EditorNode {
  const paragraphs = text.split('\n').map((line): EditorNode => {
    return line === '' ? { type: 'paragraph' } : { type: 'paragraph', content: [{ type: 'text', text: line }] }
  })
  return { type: 'doc', content: paragraphs }
}

type Attributes = Readonly<Record<string, string>>

interface OpenBlock {
  readonly type: string
  /** Empty: a paragraph of text that is in no element of its own. */
  readonly tag: string
  readonly attrs?: EditorAttributes
  readonly content: EditorNode[]
}

interface OpenMark {
  readonly tag: string
  readonly attributes: Attributes
  readonly mark: EditorMark
  /** JSON of the mark; equal elements have the same one. */
  readonly name: string
  /** See `#apart`; 0: it is not in the mark. */
  readonly apart: number
  /** How many nodes there were before it. */
  readonly from: number
  isOpen: boolean
}

class DocumentBuilder {
  readonly #hasAll: boolean
  readonly #blocks: typeof BLOCKS
  readonly #emptyBlocks: typeof EMPTY_BLOCKS
  readonly #marks: typeof MARKS
  readonly #root: OpenBlock = { type: 'doc', tag: '', content: [] }
  readonly #open: OpenBlock[] = [this.#root]
  readonly #openMarks: OpenMark[] = []
  /** The marks around the last text, picture or line break of each block. */
  readonly #lastMarks = new WeakMap<OpenBlock, readonly OpenMark[]>()
  #nodes = 0
  #marksLength = 0

  constructor(detail: DocumentDetail) {
    this.#hasAll = detail === 'elements'
    this.#blocks = this.#hasAll ? ALL_BLOCKS : BLOCKS
    this.#emptyBlocks = this.#hasAll ? ALL_EMPTY_BLOCKS : EMPTY_BLOCKS
    this.#marks = this.#hasAll ? ALL_MARKS : MARKS
  }

  finish(): EditorNode {
    while (this.#open.length > 1) this.#closeBlock()
    return finished(this.#root)
  }

  openTag(tag: string, attributes: Attributes): void {
    const { [tag]: block } = this.#blocks
    const { [tag]: emptyBlock } = this.#emptyBlocks
    if (tag === 'br') this.#addInline({ type: 'hardBreak', ...(this.#hasAll ? attrsOf(givenOf(tag, attributes)) : {}) })
    else if (tag === 'img') this.#addInline({ type: 'image', attrs: imageOf(attributes) })
    else if (isVoid(tag)) this.#addLeaf(tag, attributes)
    else if (emptyBlock !== undefined) {
      this.#leaveText()
      this.#push(this.#current, { type: emptyBlock, ...attrsOf(givenOf(tag, attributes)) })
    } else if (block === undefined) this.#openMark(tag, attributes)
    else if (this.#open.length < MAX_DEPTH) {
      this.#leaveText()
      this.#open.push(this.#blockOf(tag, block, attributes))
    }
  }

  addText(text: string): void {
    const isText = TEXT_BLOCKS.has(this.#current.type)
    if (text === '' || (!isText && this.#isLayout(text))) return
    const before = isText ? this.#current.content.at(-1) : undefined
    // The parser splits a text at entities: the part before, the entity, the part after.
    if (before?.type === 'text' && this.#isInSameMarks())
      this.#current.content.splice(-1, 1, { ...before, text: `${before.text}${text}` })
    else this.#addInline({ type: 'text', text }, this.#currentMarks())
  }

  /** Blank text between blocks. Between the parts of a list or table, editors have no place for a no-break space either. */
  #isLayout(text: string): boolean {
    return PARTS_ONLY.has(this.#current.type) ? text.trim() === '' : isBlank(text)
  }

  closeTag(tag: string): void {
    const at = this.#openMarks.findLastIndex((each) => each.tag === tag)
    const [closed] = at < 0 ? [] : this.#openMarks.splice(at, 1)
    if (closed !== undefined) closed.isOpen = false
    if (closed !== undefined && closed.from === this.#nodes) this.#addLeaf(tag, closed.attributes)
    if (this.#blocks[tag] === undefined || !this.#open.some((block) => block.tag === tag)) return
    while (this.#current.tag !== tag) this.#closeBlock()
    this.#closeBlock()
  }

  get #current(): OpenBlock {
    return this.#open.at(-1) ?? this.#root
  }

  #push(block: OpenBlock, node: EditorNode): void {
    block.content.push(node)
    this.#nodes += 1
  }

  #closeBlock(): void {
    const block = this.#open.pop()
    if (block !== undefined) this.#push(this.#current, finished(block))
  }

  /** Before a block: one inside a paragraph ends it, as in browsers; containers have both. */
  #leaveText(): void {
    while (TEXT_BLOCKS.has(this.#current.type) && this.#open.length > 1) {
      const { type, tag, attrs, content } = this.#current
      const isAround = type === 'paragraph' && isContainer(tag)
      const isEmpty = content.every(({ type: each, text = '' }) => each === 'text' && isBlank(text))
      if (!isAround || (!this.#hasAll && !isEmpty)) this.#closeBlock()
      else this.#open.pop()
      if (!isAround || !this.#hasAll) continue
      const text = isEmpty ? [] : [finished({ ...this.#blockOf('', 'paragraph', {}), content })]
      this.#open.push({ type: 'container', tag, attrs: { ...attrs, tag }, content: text })
    }
  }

  #blockOf(tag: string, type: string, attributes: Attributes): OpenBlock {
    const level = type === 'heading' ? { level: Number(tag.slice(1)) } : {}
    const spans = type === 'tableCell' || type === 'tableHeader' ? spansOf(attributes) : {}
    const attrs = { ...this.#tagOf(tag, type), ...level, ...spans, ...givenOf(tag, attributes) }
    return { type, tag, ...attrsOf(attrs), content: [] }
  }

  /** The tag, where the type has usually another. */
  #tagOf(tag: string, type: string): EditorAttributes {
    return this.#hasAll && type !== 'heading' && USUAL_TAGS[type] !== tag ? { tag } : {}
  }

  #openMark(tag: string, attributes: Attributes): void {
    const mark = this.#markOf(tag, attributes)
    if (mark === null) return
    const name = JSON.stringify(mark)
    const apart = this.#hasAll ? this.#apart(name) : 0
    const numbered = apart === 0 ? mark : { type: mark.type, attrs: { ...mark.attrs, apart } }
    this.#openMarks.push({ tag, attributes, mark: numbered, name, apart, from: this.#nodes, isOpen: true })
  }

  #markOf(tag: string, attributes: Attributes): EditorMark | null {
    if (tag === 'a') return { type: 'link', attrs: { href: '', ...givenOf(tag, attributes) } }
    const { [tag]: type } = this.#marks
    return type === undefined ? null : { type, ...attrsOf({ ...this.#tagOf(tag, type), ...givenOf(tag, attributes) }) }
  }

  /** Of two equal elements beside one another, the second has another number, so that they do not become one. */
  #apart(name: string): number {
    const equal = (this.#lastMarks.get(this.#current) ?? []).filter((each) => !each.isOpen && each.name === name)
    const taken = new Set(equal.map(({ apart }) => apart))
    let apart = 0
    while (taken.has(apart)) apart += 1
    return apart
  }

  #currentMarks(): { readonly marks?: readonly EditorMark[] } {
    if (this.#openMarks.length === 0 || this.#marksLength > MAX_MARKS_LENGTH) return {}
    this.#marksLength += this.#openMarks.reduce((sum, { name }) => sum + name.length, 0)
    return { marks: this.#openMarks.map(({ mark }) => mark) }
  }

  /** Whether the last text of the block has the marks that are open now, so that a text after it belongs to it. */
  #isInSameMarks(): boolean {
    const last = this.#lastMarks.get(this.#current) ?? []
    const isEqual = (each: OpenMark, at: number): boolean =>
      each.name === this.#openMarks[at]?.name && each.apart === this.#openMarks[at]?.apart
    return last.length === this.#openMarks.length && last.every(isEqual)
  }

  /** In a document for editors of this JSON only texts have marks. */
  #addInline(node: EditorNode, marks = this.#hasAll ? this.#currentMarks() : {}): void {
    if (!TEXT_BLOCKS.has(this.#current.type)) this.#open.push(this.#blockOf('', 'paragraph', {}))
    this.#push(this.#current, { ...node, ...marks })
    this.#lastMarks.set(this.#current, [...this.#openMarks])
  }

  /** An element without content. */
  #addLeaf(tag: string, attributes: Attributes): void {
    if (!this.#hasAll) return
    const flags = flagsOf(tag).flatMap((name) => (name in attributes ? [[name, true] as const] : []))
    this.#addInline({ type: 'leaf', attrs: { tag, ...Object.fromEntries(flags), ...givenOf(tag, attributes) } })
  }
}

function finished({ type, attrs, content }: OpenBlock): EditorNode {
  return { type, ...(attrs === undefined ? {} : { attrs }), ...(content.length === 0 ? {} : { content }) }
}

const attrsOf = (attrs: EditorAttributes): { readonly attrs?: EditorAttributes } =>
  Object.keys(attrs).length === 0 ? {} : { attrs }

/** Over how many columns and rows a cell reaches, if over more than one. */
function spansOf(attributes: Attributes): EditorAttributes {
  const spans = SPANS.map((name) => [name, Number(attributes[name] ?? 1)] as const)
  return Object.fromEntries(spans.filter(([, count]) => Number.isInteger(count) && count > 1))
}

const imageOf = (attributes: Attributes): EditorAttributes => ({
  src: '',
  alt: '',
  title: '',
  ...givenOf('img', attributes),
})

/** The attributes of an element that are not empty. */
const givenOf = (tag: string, attributes: Attributes): Attributes =>
  Object.fromEntries(
    attributesOf(tag).flatMap((name) => {
      const value = attributes[name] ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  )
