/** The editor's JSON document of a WYSIWYG text (docs/api-for-pages.md). */
export interface RichNode {
  readonly type: string
  readonly attrs?: Readonly<Record<string, unknown>>
  readonly content?: readonly RichNode[]
  readonly text?: string
  readonly marks?: readonly RichMark[]
}

export interface RichMark {
  readonly type: string
  readonly attrs?: Readonly<Record<string, unknown>>
}

export const BLOCK_TAGS: Readonly<Record<string, string>> = {
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

export const MARK_TAGS: Readonly<Record<string, string>> = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  strike: 's',
  code: 'code',
  subscript: 'sub',
  superscript: 'sup',
}

/** Attributes of cells that reach over several columns or rows. */
export const spansOf = ({ type, attrs = {} }: RichNode): Readonly<Partial<Record<'colSpan' | 'rowSpan', number>>> => {
  if (type !== 'tableCell' && type !== 'tableHeader') return {}
  const counts = [['colSpan', Number(attrs['colspan'])] as const, ['rowSpan', Number(attrs['rowspan'])] as const]
  return Object.fromEntries(counts.filter(([, count]) => count > 1))
}

/** Language and direction of a node or mark: a browser needs them. Its class means something elsewhere, and nothing here. */
export function directionOf({ attrs = {} }: Pick<RichNode, 'attrs'>): {
  readonly dir?: string
  readonly lang?: string
} {
  const { dir, lang } = attrs
  return { ...(typeof dir === 'string' ? { dir } : {}), ...(typeof lang === 'string' ? { lang } : {}) }
}

/** null: the text is not a document. */
export function readDocument(text: string): RichNode | null {
  if (text === '') return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'type' in value ? (value as RichNode) : null
  } catch {
    return null
  }
}

/** An address that is safe as a link; null: it is not safe. */
export function safeAddress(href: unknown): string | null {
  if (typeof href !== 'string') return null
  try {
    const { protocol } = new URL(href, 'https://example.com')
    return ['https:', 'http:', 'mailto:', 'tel:'].includes(protocol) ? href : null
  } catch {
    return null
  }
}

/** An address as people type it: without its scheme, it would be a place in the console. */
export function wholeAddress(typed: string): string {
  const address = typed.trim()
  if (/^[^\s/?#:@]+@[^\s/?#:@]+$/.test(address)) return `mailto:${address}`
  return /^[^\s/?#:@]+\.[^\s/?#:@]+(:\d+)?([/?#]|$)/.test(address) ? `https://${address}` : address
}

/** The words of a document, on one line. */
export function wordsOf(node: RichNode | null): string {
  if (node === null) return ''
  if (node.type === 'image') return String(node.attrs?.['alt'] ?? node.attrs?.['src'] ?? '')
  const isBlock = node.content?.some(({ type }) => type !== 'text') ?? false
  return (node.text ?? '') + (node.content ?? []).map(wordsOf).join(isBlock ? ' ' : '')
}

/** 1 to 6. */
export const headingLevel = ({ attrs }: RichNode): number =>
  Math.min(6, Math.max(1, Math.trunc(Number(attrs?.['level'] ?? 1)) || 1))

/** Whether the document has only empty paragraphs. */
export const isEmptyDocument = ({ content = [] }: RichNode): boolean =>
  content.every(({ type, content: inner = [] }) => type === 'paragraph' && inner.length === 0)
