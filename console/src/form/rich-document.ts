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
  tableCaption: 'caption',
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

/** Elements of text that a browser displays as the text intends; others are only containers here. */
const TEXT_TAGS: ReadonlySet<unknown> = new Set(
  'abbr bdi bdo cite data dfn kbd mark q rp rt ruby samp small time var'.split(' '),
)

type Attrs = Readonly<Record<string, unknown>> | null | undefined

/** The element in which a mark is displayed; null: none. */
export const tagOfMark = ({ type, attrs }: RichMark): string | null =>
  type === 'element' ? textTagOf(attrs) : (MARK_TAGS[type] ?? null)

const textTagOf = (attrs: Attrs): string => (TEXT_TAGS.has(attrs?.['tag']) ? String(attrs?.['tag']) : 'span')

const SECTIONS: ReadonlySet<unknown> = new Set(['thead', 'tfoot'])

/**
 * The element in which a block is displayed, with the tag of the text as data where it is another one: a text must not have the landmarks
 * of a page, or parts of lists without their list. null: no block.
 */
export function blockTag({ type, attrs }: RichNode): { readonly tag: string; readonly data?: string } | null {
  const named = attrs?.['tag']
  if (type === 'tableSection') return { tag: SECTIONS.has(named) ? String(named) : 'tbody' }
  const isNamed = typeof named === 'string' && named !== '' && (type === 'paragraph' || type === 'container')
  if (isNamed) return { tag: 'div', data: named }
  const tag = BLOCK_TAGS[type]
  return tag === undefined ? null : { tag }
}

/** What is displayed of an element without content, a picture or another node of a line. */
export function leafText({ type, attrs }: RichNode): string {
  if (type === 'image') return `[${String(attrs?.['alt'] || attrs?.['src'] || type)}]`
  if (type !== 'leaf') return `[${type}]`
  return isCheckbox({ type, attrs: attrs ?? {} }) ? (attrs?.['checked'] === true ? '☑' : '☐') : ''
}

/** A box of a list of tasks. */
export const isCheckbox = ({ type, attrs }: RichNode): boolean =>
  type === 'leaf' && attrs?.['tag'] === 'input' && attrs['type'] === 'checkbox'

const INLINE: ReadonlySet<string> = new Set(['text', 'hardBreak', 'image', 'leaf'])
export const isInline = ({ type }: RichNode): boolean => INLINE.has(type)

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

/** 1 to 6. */
export const headingLevel = ({ attrs }: RichNode): number =>
  Math.min(6, Math.max(1, Math.trunc(Number(attrs?.['level'] ?? 1)) || 1))

/** Whether the document has only empty paragraphs. */
export const isEmptyDocument = ({ content = [] }: RichNode): boolean =>
  content.every(({ type, content: inner = [] }) => type === 'paragraph' && inner.length === 0)
