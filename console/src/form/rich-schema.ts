import { type DOMOutputSpec, type MarkSpec, type NodeSpec, Schema } from 'prosemirror-model'
import { BLOCK_TAGS, directionOf, headingLevel, MARK_TAGS, safeAddress, spansOf } from './rich-document.ts'

/** Of each node and mark: the attributes of the document, so that they are written back unchanged. */
const attrs = { given: { default: null } }

type Given = Readonly<Record<string, unknown>> | null

/** What a browser needs of the attributes. The class of a text is none of the console. */
const displayed = (type: string, given: Given): Readonly<Record<string, string>> => {
  const node = given === null ? { type } : { type, attrs: given }
  const { colSpan, rowSpan } = spansOf(node)
  return {
    ...directionOf(node),
    ...(colSpan === undefined ? {} : { colspan: String(colSpan) }),
    ...(rowSpan === undefined ? {} : { rowspan: String(rowSpan) }),
  }
}

/** A block with a tag of its own. */
const block = (type: string, content: string, more: NodeSpec = {}): NodeSpec => {
  const tag = BLOCK_TAGS[type] ?? 'p'
  return {
    group: 'block',
    content,
    attrs,
    parseDOM: [{ tag }],
    toDOM: (node): DOMOutputSpec => [tag, displayed(type, node.attrs['given']), 0],
    ...more,
  }
}

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
  table: {
    ...block('table', 'tableRow+', { isolating: true }),
    toDOM: ({ attrs: { given } }) => ['table', displayed('table', given), ['tbody', 0]],
  },
  horizontalRule: {
    group: 'block',
    attrs,
    parseDOM: [{ tag: 'hr' }],
    toDOM: ({ attrs: { given } }) => ['hr', displayed('horizontalRule', given)],
  },
  listItem: block('listItem', 'block+', { group: '', defining: true }),
  tableRow: block('tableRow', '(tableCell | tableHeader)+', { group: '' }),
  tableCell: block('tableCell', 'block+', { group: '', isolating: true }),
  tableHeader: block('tableHeader', 'block+', { group: '', isolating: true }),
  text: { group: 'inline' },
  hardBreak: { group: 'inline', inline: true, selectable: false, parseDOM: [{ tag: 'br' }], toDOM: () => ['br'] },
  /** A picture, or any other node that cannot be edited here. */
  kept: {
    group: 'inline',
    inline: true,
    attrs: { node: { validate: checkNode } },
    toDOM: ({ attrs: { node } }) => [
      'span',
      { contenteditable: 'false' },
      `[${String(node.attrs?.['alt'] ?? node.type)}]`,
    ],
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
  bold: mark('bold', 'b'),
  italic: mark('italic', 'i'),
  underline: mark('underline'),
  strike: mark('strike', 'strike', 'del'),
  code: mark('code'),
  subscript: mark('subscript'),
  superscript: mark('superscript'),
} satisfies Readonly<Record<string, MarkSpec>>

export const richSchema = new Schema({ nodes, marks })
