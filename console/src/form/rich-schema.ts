import { type DOMOutputSpec, type MarkSpec, type NodeSpec, Schema } from 'prosemirror-model'
import {
  BLOCK_TAGS,
  blockTag,
  directionOf,
  headingLevel,
  leafText,
  MARK_TAGS,
  type RichNode,
  safeAddress,
  spansOf,
  tagOfMark,
} from './rich-document.ts'

/** Of each node and mark: the attributes of the document, so that they are written back unchanged. */
const attrs = { given: { default: null } }

type Given = Readonly<Record<string, unknown>> | null

/** What a browser needs of the attributes. The class of a text is none of the console. */
const displayed = (type: string, given: Given): Readonly<Record<string, string>> => {
  const node = nodeOf(type, given)
  const { colSpan, rowSpan } = spansOf(node)
  const data = blockTag(node)?.data
  return {
    ...directionOf(node),
    ...(data === undefined ? {} : { 'data-tag': data }),
    ...(colSpan === undefined ? {} : { colspan: String(colSpan) }),
    ...(rowSpan === undefined ? {} : { rowspan: String(rowSpan) }),
  }
}

const nodeOf = (type: string, given: Given): RichNode => (given === null ? { type } : { type, attrs: given })

/** A block with a tag of its own. */
const block = (type: string, content: string, more: NodeSpec = {}): NodeSpec => ({
  group: 'block',
  content,
  attrs,
  ...(BLOCK_TAGS[type] === undefined ? {} : { parseDOM: [{ tag: BLOCK_TAGS[type] }] }),
  toDOM: ({ attrs: { given } }): DOMOutputSpec => [
    blockTag(nodeOf(type, given))?.tag ?? 'div',
    displayed(type, given),
    0,
  ],
  ...more,
})

/** Pasted marks may come from any page. */
function checkAddress(given: Given): void {
  if (safeAddress(given?.['href']) === null) throw new RangeError('a link needs an address that is safe')
}

/** Pasted nodes, too. */
function checkNode(node: unknown): void {
  const hasType = typeof node === 'object' && node !== null && 'type' in node && typeof node.type === 'string'
  if (!hasType) throw new RangeError('a node has a type')
}

/** The nodes of documents as the server makes them. Paragraph is the first block: editors make one where they need any. */
const nodes = {
  doc: { content: 'block+' },
  paragraph: block('paragraph', 'inline*'),
  heading: {
    ...block('heading', 'inline*'),
    parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, attrs: { given: { level } } })),
    toDOM: ({ attrs: { given } }) => [
      `h${headingLevel({ type: 'heading', attrs: given ?? {} })}`,
      displayed('heading', given),
      0,
    ],
    defining: true,
  },
  bulletList: block('bulletList', 'listItem+'),
  orderedList: block('orderedList', 'listItem+'),
  blockquote: block('blockquote', 'block+', { defining: true }),
  codeBlock: block('codeBlock', 'inline*', { code: true, defining: true, whitespace: 'pre' }),
  /** Any other element that contains blocks. */
  container: block('container', 'block+', { defining: true }),
  table: block('table', '(tableRow | tableSection | tableCaption | tableColumns)+', { isolating: true }),
  horizontalRule: {
    group: 'block',
    attrs,
    parseDOM: [{ tag: 'hr' }],
    toDOM: ({ attrs: { given } }) => ['hr', displayed('horizontalRule', given)],
  },
  listItem: block('listItem', 'block+', { group: '', defining: true }),
  tableSection: block('tableSection', 'tableRow+', { group: '' }),
  tableCaption: block('tableCaption', 'inline*', { group: '', isolating: true }),
  tableColumns: {
    attrs: { node: { validate: checkNode } },
    selectable: false,
    toDOM: () => ['colgroup'],
  },
  tableRow: block('tableRow', '(tableCell | tableHeader)+', { group: '' }),
  tableCell: block('tableCell', 'block+', { group: '', isolating: true }),
  tableHeader: block('tableHeader', 'block+', { group: '', isolating: true }),
  text: { group: 'inline' },
  /** A line of code that is joined to other text ends with one there. */
  hardBreak: {
    group: 'inline',
    inline: true,
    attrs,
    linebreakReplacement: true,
    selectable: false,
    parseDOM: [{ tag: 'br' }],
    toDOM: () => ['br'],
  },
  /** A picture, or any other node that cannot be edited here. */
  kept: {
    group: 'inline',
    inline: true,
    attrs: { node: { validate: checkNode } },
    toDOM: ({ attrs: { node } }) => ['span', { contenteditable: 'false' }, leafText(node)],
  },
} satisfies Readonly<Record<string, NodeSpec>>

/** @param others tags that browsers make of the same mark */
const mark = (type: string, ...others: readonly string[]): MarkSpec => {
  const tag = MARK_TAGS[type] ?? 'span'
  return {
    attrs,
    parseDOM: [tag, ...others].map((each) => ({ tag: each })),
    toDOM: ({ attrs: { given } }): DOMOutputSpec => [tag, displayed(type, given), 0],
  }
}

/** An element of text that has no mark of its own. Several may be around the same text. */
const element: MarkSpec = {
  attrs,
  excludes: '',
  toDOM: ({ attrs: { given } }): DOMOutputSpec => [
    tagOfMark({ type: 'element', attrs: given ?? {} }) ?? 'span',
    displayed('element', given),
    0,
  ],
}

const link: MarkSpec = {
  attrs: { given: { default: null, validate: checkAddress } },
  inclusive: false,
  toDOM: ({ attrs: { given } }): DOMOutputSpec => {
    const href = safeAddress(given?.href)
    if (href === null) return ['span', 0]
    return [
      'a',
      { href, ...displayed('link', given), ...(typeof given.title === 'string' ? { title: given.title } : {}) },
      0,
    ]
  },
}

const marks = {
  link,
  element,
  bold: mark('bold', 'b'),
  italic: mark('italic', 'i'),
  underline: mark('underline'),
  strike: mark('strike', 'strike', 'del'),
  code: mark('code'),
  subscript: mark('subscript'),
  superscript: mark('superscript'),
} satisfies Readonly<Record<string, MarkSpec>>

export const richSchema = new Schema({ nodes, marks })
