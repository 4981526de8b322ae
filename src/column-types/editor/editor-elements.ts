/** HTML elements, and the nodes and marks of an editor's document that contain them. */

type Types = Readonly<Record<string, string>>

/** Elements that contain text or blocks. */
const CONTAINERS: readonly string[] = [
  ...['address', 'article', 'aside', 'dd', 'div', 'dl', 'dt', 'figcaption', 'figure'],
  ...['footer', 'header', 'hgroup', 'main', 'nav', 'section'],
]
export const isContainer = (tag: string): boolean => CONTAINERS.includes(tag)

/**
 * Nodes by tag, in documents of either detail. A container of blocks is none of them: with all elements it is a node `container`.
 */
export const BLOCKS: Types = {
  ...Object.fromEntries(CONTAINERS.map((tag) => [tag, 'paragraph'])),
  p: 'paragraph',
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

/** Nodes by tag, in a document with all elements. */
export const ALL_BLOCKS: Types = {
  ...BLOCKS,
  menu: 'bulletList',
  caption: 'tableCaption',
  thead: 'tableSection',
  tbody: 'tableSection',
  tfoot: 'tableSection',
  colgroup: 'tableColumns',
}

/** Blocks that contain nothing. */
export const EMPTY_BLOCKS: Types = { hr: 'horizontalRule' }
export const ALL_EMPTY_BLOCKS: Types = { ...EMPTY_BLOCKS, col: 'tableColumn' }

export const MARKS: Types = {
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

/** Elements of text that are marks only in a document with all elements. */
const OTHER_MARKS: readonly string[] = [
  ...['abbr', 'bdi', 'bdo', 'cite', 'data', 'dfn', 'kbd', 'mark', 'q', 'rb', 'rp', 'rt', 'rtc'],
  ...['ruby', 'samp', 'small', 'span', 'time', 'var'],
]
export const ALL_MARKS: Types = { ...MARKS, ...Object.fromEntries(OTHER_MARKS.map((tag) => [tag, 'element'])) }

/** Elements of text that contain nothing; nodes `leaf`. */
const VOID: readonly string[] = ['input', 'wbr']
export const isVoid = (tag: string): boolean => VOID.includes(tag)

/** The tag of a type where the document names no other. */
export const USUAL_TAGS: Types = {
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
  tableSection: 'tbody',
  tableColumns: 'colgroup',
  tableColumn: 'col',
  horizontalRule: 'hr',
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  strike: 's',
  code: 'code',
  subscript: 'sub',
  superscript: 'sup',
}

/** Attributes that any element may have. */
const COMMON = ['class', 'dir', 'lang'] as const

/** Attributes of an element that are texts, in the order in which they are written. */
export const attributesOf = (tag: string): readonly string[] => [...(OWN[tag] ?? []), ...COMMON]

const OWN: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'title', 'name', 'target', 'rel'],
  img: ['src', 'alt', 'title', 'width', 'height'],
  input: ['type'],
}

/** Attributes that an element has or not. */
export const flagsOf = (tag: string): readonly string[] => (tag === 'input' ? ['checked', 'disabled'] : [])

/** Attributes of the cells of a table. */
export const SPANS = ['colspan', 'rowspan'] as const
