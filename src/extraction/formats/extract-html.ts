import type { BlockKind } from '../extracted-text.ts'
import type { HtmlHandler } from '../read/html-nodes.ts'
import { parseHtmlTree } from '../read/html-tree.ts'
import { createVisibility, elementsWithoutText, mayBelieveStyles } from '../read/html-visibility.ts'
import { addCell, oneLine, rowText, spanOf } from '../read/table-rows.ts'
import { visitHtml } from '../read/visit-html.ts'
import type { RowPlace, TextSink } from '../text-builder.ts'

export interface AboutHtml {
  readonly title?: string
  readonly language?: string
}

/**
 * Adds the text that a browser would display. Content hidden by an attribute or an inline style is skipped and flagged. A page
 * that is almost completely hidden by its styles is read anyway: scripts make it visible.
 *
 * @param leftOut elements whose content is not read
 */
export function extractHtml(
  html: string,
  into: TextSink,
  leftOut: ReadonlySet<string> = elementsWithoutText,
): AboutHtml {
  const tree = parseHtmlTree(html)
  const page = createPage(into, mayBelieveStyles(tree), leftOut)
  visitHtml(tree, page, 'released')
  return page.finish()
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const breaksBlock = words(
  'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html legend li main menu nav ol option p pre section summary table tbody td tfoot th thead tr ul',
)
/** Inside a cell these turn the table into a layout: its cells are read as part of the page, not as a row. */
const breaksRow = words('h1 h2 h3 h4 h5 h6 table ul ol pre blockquote form section article')

// ── rows ──

/** No cell reaches beyond them. */
const rowGroups: ReadonlySet<string> = new Set(['thead', 'tbody', 'tfoot'])

interface Row {
  readonly cells: string[]
  /** Parts of the open cell. */
  cell: string[] | undefined
  /** How many columns and rows the open cell takes. */
  span: { readonly columns: number; readonly rows: number }
  /** For each column, how many further rows a cell above takes. */
  readonly covered: number[]
  /** In `thead`, or with `th` cells only. */
  isHeader: boolean
  /** Its cells are read as part of the page, not as a row. */
  isLayout: boolean
}

interface Rows {
  /** The parts of the open cell of a row, if text belongs to one. */
  cell(): string[] | undefined
  /** Whether a row is open, so that white space between its cells is ignored. */
  isOpen(): boolean
  open(tag: string, attribute: (name: string) => string | undefined): void
  close(tag: string): void
  /** Call this for content in the open cell that a row cannot contain. */
  makeLayout(): void
}

const emptyRow = (): Row => ({
  cells: [],
  cell: undefined,
  span: { columns: 1, rows: 1 },
  covered: [],
  isHeader: true,
  isLayout: false,
})

function createRows(addRow: (cells: readonly string[], place: RowPlace) => void): Rows {
  /** One for each open table; a table between two rows, and a layout table, has no row. */
  const rows: Row[] = []
  let beginsTable = true
  let isInHead = false
  const current = (): Row | undefined => (rows.at(-1)?.isLayout === false ? rows.at(-1) : undefined)
  /** Empty cells where those of rows above still are. */
  const passCovered = ({ cells, covered }: Row): void => {
    for (let left = covered[cells.length] ?? 0; left > 0; left = covered[cells.length] ?? 0) {
      covered[cells.length] = left - 1
      cells.push('')
    }
  }
  const endCell = (row: Row): void => {
    if (row.cell === undefined) return
    const { cells, covered, span } = row
    const first = cells.length
    addCell(cells, oneLine(row.cell.join('')), span.columns)
    for (let column = first; column < cells.length; column++) covered[column] = span.rows - 1
    row.cell = undefined
  }
  const endRow = (row: Row): void => {
    endCell(row)
    const { cells, covered } = row
    for (let column = cells.length; column < covered.length; column++)
      covered[column] = Math.max(0, (covered[column] ?? 0) - 1)
    if (row.cells.some((cell) => cell !== '')) {
      addRow(row.cells, { beginsTable, isHeader: row.isHeader })
      beginsTable = false
    }
    row.cells.length = 0
    row.isLayout = true
  }
  return {
    cell: () => current()?.cell,
    isOpen: () => current() !== undefined,
    open(tag, attribute) {
      const row = current()
      if (tag === 'table') {
        rows.push({ ...emptyRow(), isHeader: false, isLayout: true })
        beginsTable = true
      } else if (rowGroups.has(tag)) {
        isInHead ||= tag === 'thead'
        rows.at(-1)?.covered.splice(0)
      } else if (tag === 'tr' && rows.length > 0)
        rows[rows.length - 1] = { ...emptyRow(), covered: rows.at(-1)?.covered ?? [] }
      else if ((tag === 'td' || tag === 'th') && row !== undefined) {
        row.isHeader &&= tag === 'th' || isInHead
        passCovered(row)
        row.cell = []
        row.span = { columns: spanOf(attribute('colspan')), rows: spanOf(attribute('rowspan')) }
      }
    },
    close(tag) {
      const row = current()
      if (tag === 'table') {
        rows.pop()
        beginsTable = true
      } else if (tag === 'thead') isInHead = false
      else if (row !== undefined && tag === 'tr') endRow(row)
      else if (row !== undefined && (tag === 'td' || tag === 'th')) endCell(row)
    },
    makeLayout() {
      const row = current()
      if (row !== undefined) endRow(row)
    },
  }
}

// ── blocks ──

/** The kind of block of the text inside an open element. */
interface OpenKind {
  readonly tag: string
  readonly kind: BlockKind
  readonly level?: number
}

const kindOf: ReadonlyMap<string, OpenKind> = new Map(
  [
    ...[1, 2, 3, 4, 5, 6].map((level): OpenKind => ({ tag: `h${level}`, kind: 'heading', level })),
    { tag: 'li', kind: 'list-item' } as const,
    { tag: 'pre', kind: 'code' } as const,
    { tag: 'blockquote', kind: 'quote' } as const,
  ].map((open) => [open.tag, open]),
)

function createPage(
  into: TextSink,
  believesStyles: boolean,
  leftOut: ReadonlySet<string>,
): HtmlHandler & { finish(): AboutHtml } {
  const visibility = createVisibility(believesStyles, () => into.flag('hidden-text'), leftOut)
  const rows = createRows((cells, place) => into.add('table-row', rowText(cells), place))
  const kinds: OpenKind[] = []
  const head = createHead()
  let parts: string[] = []

  const flush = (): void => {
    const text = parts.join('')
    parts = []
    const { kind, level } = kinds.at(-1) ?? { kind: 'paragraph' as const }
    into.add(kind, kind === 'code' ? text : text.replace(/ *\n */g, '\n').replace(/ {2,}/g, ' '), { level })
  }
  const breakBlock = (tag: string): void => {
    const cell = rows.cell()
    if (cell === undefined) flush()
    else if (breaksRow.has(tag)) rows.makeLayout()
    else cell.push(' ')
  }

  return {
    open(tag, attribute) {
      head.open(tag, attribute)
      const { isLaidOut, isText } = visibility.enter(tag, attribute)
      if (!isLaidOut || !isText) return
      if (tag === 'br') (rows.cell() ?? parts).push(rows.cell() === undefined ? '\n' : ' ')
      if (breaksBlock.has(tag)) breakBlock(tag)
      rows.open(tag, attribute)
      const kind = kindOf.get(tag)
      if (kind !== undefined) kinds.push(kind)
    },
    close(tag) {
      head.close(tag)
      const { isLaidOut, isText } = visibility.leave()
      if (!isLaidOut || !isText) return
      if (breaksBlock.has(tag)) breakBlock('')
      rows.close(tag)
      if (kinds.at(-1)?.tag === tag) kinds.pop()
    },
    text(text) {
      if (head.takes(text) || !visibility.admits(text)) return
      const cell = rows.cell()
      if (cell !== undefined) cell.push(text)
      else if (!rows.isOpen() || text.trim() !== '')
        parts.push(isPreformatted(kinds) ? text : text.replace(/[\t\n\f\r ]+/g, ' '))
    },
    finish() {
      flush()
      return head.about()
    },
  }
}

const isPreformatted = (kinds: readonly OpenKind[]): boolean => kinds.at(-1)?.kind === 'code'

// ── the head ──

interface Head {
  open(tag: string, attribute: (name: string) => string | undefined): void
  close(tag: string): void
  /** Takes a text that belongs to the title. */
  takes(text: string): boolean
  about(): AboutHtml
}

/** The language of the page, and its title: the first one, except titles inside drawings. */
function createHead(): Head {
  let language: string | undefined
  let title: string | undefined
  let open: string[] | undefined
  let drawings = 0
  return {
    open(tag, attribute) {
      if (tag === 'svg') drawings++
      if (tag === 'html') language = attribute('lang') ?? attribute('xml:lang')
      if (tag === 'title') open = []
    },
    close(tag) {
      if (tag === 'svg') drawings--
      if (tag !== 'title' || open === undefined) return
      if (drawings === 0) title ??= oneLine(open.join(''))
      open = undefined
    },
    takes(text) {
      open?.push(text)
      return open !== undefined
    },
    about: () => ({
      ...(title === undefined || title === '' ? {} : { title }),
      ...(language === undefined ? {} : { language }),
    }),
  }
}
