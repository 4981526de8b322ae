import { fail, type Result, succeed } from '../../kernel/result.ts'
import { COMMON_ATTRIBUTES, LINK_ATTRIBUTES, SPANS } from './editor-node.ts'

/**
 * The HTML of an editor's JSON document. Supports the nodes and marks of `to-editor-document.ts`; the content of any other node
 * is kept, and an unknown mark is dropped. The result is not sanitised yet.
 */
export function fromEditorDocument(document: unknown): Result<string, string> {
  try {
    return succeed(contentOf(nodeOf(document), 0))
  } catch (error) {
    if (error instanceof BadNode) return fail(error.message)
    throw error
  }
}

/** The lines of a document that contains only paragraphs of plain text; null: it contains more. */
export function linesOfDocument(document: unknown): string | null {
  try {
    const lines = nodeOf(document).content.map((block) => lineOf(nodeOf(block)))
    return lines.every((line) => line !== null) ? lines.join('\n') : null
  } catch (error) {
    if (error instanceof BadNode) return null
    throw error
  }
}

function lineOf({ type, content }: Node): string | null {
  if (type !== 'paragraph') return null
  const nodes = content.map(nodeOf)
  const isPlain = nodes.every((node) => node.type === 'text' && node.marks.length === 0 && !node.text.includes('\n'))
  return isPlain ? nodes.map(({ text }) => text).join('') : null
}

/** The editor does not display deeper nesting, and recursion needs a limit. */
const MAX_DEPTH = 200

class BadNode extends Error {}

interface Node {
  readonly type: string
  readonly attrs: Readonly<Record<string, unknown>>
  readonly content: readonly unknown[]
  readonly text: string
  readonly marks: readonly unknown[]
}

function nodeOf(value: unknown): Node {
  if (typeof value !== 'object' || value === null) throw new BadNode('each node of an editor document is an object')
  const { type, attrs = {}, content = [], text = '', marks = [] } = value as Record<string, unknown>
  if (typeof type !== 'string' || typeof text !== 'string' || !Array.isArray(content) || !Array.isArray(marks))
    throw new BadNode('a node of an editor document has a type, and maybe attrs, content, text and marks')
  return { type, attrs: typeof attrs === 'object' && attrs !== null ? { ...attrs } : {}, content, text, marks }
}

function contentOf({ content }: Node, depth: number): string {
  if (depth > MAX_DEPTH) throw new BadNode(`an editor document is nested at most ${MAX_DEPTH} deep`)
  return content.map((child) => htmlOf(nodeOf(child), depth + 1)).join('')
}

const TAGS: Readonly<Record<string, string>> = {
  paragraph: 'p',
  bulletList: 'ul',
  orderedList: 'ol',
  listItem: 'li',
  blockquote: 'blockquote',
  codeBlock: 'pre',
  table: 'table',
  tableRow: 'tr',
  tableCell: 'td',
  tableHeader: 'th',
}

function htmlOf(node: Node, depth: number): string {
  switch (node.type) {
    case 'text':
      return node.marks.reduceRight<string>((inner, mark) => marked(inner, mark), escapeHtml(node.text))
    case 'hardBreak':
      return '<br />'
    case 'horizontalRule':
      return `<hr${attributes(node.attrs, COMMON_ATTRIBUTES)} />`
    case 'image':
      return `<img${attributes(node.attrs, ['src', 'alt', 'title', 'width', 'height', ...COMMON_ATTRIBUTES])} />`
    case 'heading':
      return element(`h${levelOf(node.attrs['level'])}`, node.attrs, contentOf(node, depth))
    case 'tableCell':
    case 'tableHeader': {
      const tag = TAGS[node.type]
      const spans = attributes(spansOf(node.attrs), SPANS)
      return `<${tag}${spans}${attributes(node.attrs, COMMON_ATTRIBUTES)}>${contentOf(node, depth)}</${tag}>`
    }
    default:
      return element(TAGS[node.type], node.attrs, contentOf(node, depth))
  }
}

const spansOf = (attrs: Node['attrs']): Node['attrs'] =>
  Object.fromEntries(
    SPANS.flatMap((name) => {
      const count = Number(attrs[name])
      return Number.isInteger(count) && count > 1 ? [[name, String(count)]] : []
    }),
  )

const levelOf = (level: unknown): number =>
  typeof level === 'number' && level >= 1 && level <= 6 ? Math.trunc(level) : 1

const element = (tag: string | undefined, attrs: Node['attrs'], inner: string): string =>
  tag === undefined ? inner : `<${tag}${attributes(attrs, COMMON_ATTRIBUTES)}>${inner}</${tag}>`

const MARKS: Readonly<Record<string, string>> = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  strike: 's',
  code: 'code',
  subscript: 'sub',
  superscript: 'sup',
}

function marked(inner: string, mark: unknown): string {
  const { type, attrs } = nodeOf(mark)
  if (type === 'link') return `<a${attributes(attrs, ['href', ...LINK_ATTRIBUTES, ...COMMON_ATTRIBUTES])}>${inner}</a>`
  return element(MARKS[type], attrs, inner)
}

/** Empty attributes are left out. */
function attributes(attrs: Node['attrs'], names: readonly string[]): string {
  const pairs = names.flatMap((name) => {
    const value = attrs[name]
    return typeof value === 'string' && value !== '' ? [` ${name}="${escapeHtml(value)}"`] : []
  })
  return pairs.join('')
}

/** The same output as the sanitiser's. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
