import { isDeepStrictEqual } from 'node:util'
import { COMMON_ATTRIBUTES, type EditorMark, type EditorNode, LINK_ATTRIBUTES, SPANS } from './editor-node.ts'
import { loadParser } from './load-html-libraries.ts'
import { isSafeMarkup } from './rich-text.ts'

const BLOCKS: Readonly<Record<string, string>> = {
  p: 'paragraph',
  div: 'paragraph',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
  ul: 'bulletList',
  ol: 'orderedList',
  li: 'listItem',
  blockquote: 'blockquote',
  pre: 'codeBlock',
  table: 'table',
  tr: 'tableRow',
  td: 'tableCell',
  th: 'tableHeader',
}
const MARKS: Readonly<Record<string, string>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strike',
  del: 'strike',
  strike: 'strike',
  code: 'code',
  sub: 'subscript',
  sup: 'superscript',
}
/** Blocks that contain text directly; others contain blocks, and text in them is put into a paragraph. */
const TEXT_BLOCKS: ReadonlySet<string> = new Set(['paragraph', 'heading', 'codeBlock'])
/** Deeper blocks are flattened into the block at this depth; no editor displays them. */
const MAX_DEPTH = 100

interface OpenBlock {
  readonly type: string
  readonly tag: string
  readonly attrs?: Readonly<Record<string, string | number>>
  readonly content: EditorNode[]
}

/** The editor's JSON document of a WYSIWYG text. A text without markup is a document of its lines. */
export function toEditorDocument(html: string): EditorNode {
  if (!isSafeMarkup(html)) return documentOfLines(html)
  const root: OpenBlock = { type: 'doc', tag: '', content: [] }
  const open: OpenBlock[] = [root]
  const marks: { readonly tag: string; readonly mark: EditorMark }[] = []
  const current = (): OpenBlock => open.at(-1) ?? root

  const closeBlock = (): void => {
    const block = open.pop()
    if (block !== undefined) current().content.push(finished(block))
  }
  const addInline = (node: EditorNode): void => {
    if (!TEXT_BLOCKS.has(current().type)) open.push({ type: 'paragraph', tag: '#text', content: [] })
    current().content.push(node)
  }
  const Parser = loadParser()
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        const mark = markOf(tag, attributes)
        if (mark !== null) marks.push({ tag, mark })
        else if (tag === 'br') addInline({ type: 'hardBreak' })
        else if (tag === 'hr') current().content.push({ type: 'horizontalRule', ...attrsOf(commonOf(attributes)) })
        else if (tag === 'img') addInline({ type: 'image', attrs: imageOf(attributes) })
        else if (BLOCKS[tag] !== undefined && open.length < MAX_DEPTH) {
          // A block inside a text block ends it, as in browsers.
          while (TEXT_BLOCKS.has(current().type) && open.length > 1) closeBlock()
          open.push(blockOf(tag, BLOCKS[tag], attributes))
        }
      },
      ontext(text) {
        const isLayout = text.trim() === '' && !TEXT_BLOCKS.has(current().type)
        if (text === '' || isLayout) return
        const node = { type: 'text', text, ...(marks.length > 0 ? { marks: marks.map((each) => each.mark) } : {}) }
        const before = TEXT_BLOCKS.has(current().type) ? current().content.at(-1) : undefined
        // The parser splits a text at entities: the part before, the entity, the part after.
        if (before?.type === 'text' && isDeepStrictEqual(before.marks, node.marks))
          current().content.splice(-1, 1, { ...node, text: `${before.text}${text}` })
        else addInline(node)
      },
      onclosetag(tag) {
        const marked = marks.findLastIndex((each) => each.tag === tag)
        if (marked >= 0) marks.splice(marked, 1)
        if (!open.some((block) => block.tag === tag) || BLOCKS[tag] === undefined) return
        while (current().tag !== tag) closeBlock()
        closeBlock()
      },
    },
    { decodeEntities: true },
  )
  parser.end(html)
  while (open.length > 1) closeBlock()
  return finished(root)
}

function documentOfLines(text: string): EditorNode {
  const paragraphs = text.split('\n').map((line): EditorNode => {
    return line === '' ? { type: 'paragraph' } : { type: 'paragraph', content: [{ type: 'text', text: line }] }
  })
  return { type: 'doc', content: paragraphs }
}

function finished(block: OpenBlock): EditorNode {
  const { type, attrs, content } = block
  return { type, ...(attrs === undefined ? {} : { attrs }), ...(content.length === 0 ? {} : { content }) }
}

type Attributes = Readonly<Record<string, string>>

function blockOf(tag: string, type: string, attributes: Attributes): OpenBlock {
  const level = type === 'heading' ? { level: Number(tag.slice(1)) } : {}
  const spans = type === 'tableCell' || type === 'tableHeader' ? spansOf(attributes) : {}
  return { type, tag, ...attrsOf({ ...level, ...spans, ...commonOf(attributes) }), content: [] }
}

const attrsOf = <T extends object>(attrs: T): { readonly attrs?: T } =>
  Object.keys(attrs).length === 0 ? {} : { attrs }

/** Over how many columns and rows a cell reaches, if over more than one. */
function spansOf(attributes: Attributes): Readonly<Record<string, number>> {
  const spans = SPANS.map((name) => [name, Number(attributes[name] ?? 1)] as const)
  return Object.fromEntries(spans.filter(([, count]) => Number.isInteger(count) && count > 1))
}

function markOf(tag: string, attributes: Attributes): EditorMark | null {
  const common = commonOf(attributes)
  if (tag === 'a')
    return {
      type: 'link',
      attrs: { href: attributes['href'] ?? '', ...givenOf(attributes, LINK_ATTRIBUTES), ...common },
    }
  const type = MARKS[tag]
  return type === undefined ? null : { type, ...attrsOf(common) }
}

function imageOf(attributes: Attributes): Attributes {
  const { src = '', alt = '', title = '' } = attributes
  return { src, alt, title, ...givenOf(attributes, ['width', 'height']), ...commonOf(attributes) }
}

const commonOf = (attributes: Attributes): Attributes => givenOf(attributes, COMMON_ATTRIBUTES)

/** In the order of the names. */
const givenOf = (attributes: Attributes, names: readonly string[]): Attributes =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = attributes[name] ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  )
