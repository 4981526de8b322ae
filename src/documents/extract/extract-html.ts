import type { BlockKind } from './extracted-text.ts'
import { readHtml } from './read-html.ts'
import { oneLine, rowText } from './table-rows.ts'
import type { TextBuilder } from './text-builder.ts'

export interface AboutHtml {
  readonly title?: string
  readonly language?: string
}

/** Adds the text that a browser would show. What is hidden by an attribute or an inline style is left out and flagged. */
export function extractHtml(html: string, into: TextBuilder): AboutHtml {
  const page = createPage(into)
  readHtml(html, page)
  return page.finish()
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Their content is no text of the page. */
const notText = words('script style template noscript noembed noframes iframe object canvas audio video datalist')
const breaksBlock = words(
  'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html legend li main menu nav ol option p pre section summary table tbody td tfoot th thead tr ul',
)
const headingLevels: ReadonlyMap<string, number> = new Map([1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, level]))
/** Inside a cell these make the table a means of layout: its cells are read as the page goes on, not as a row. */
const breaksRow = words('h1 h2 h3 h4 h5 h6 table ul ol pre blockquote form section article')

const hidingStyle =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?:\.0*)?(?![.\d]))/i

function isHidden(attribute: (name: string) => string | undefined): boolean {
  const hidden = attribute('hidden')
  if (hidden !== undefined && hidden.toLowerCase() !== 'until-found') return true
  const style = attribute('style')
  return style !== undefined && hidingStyle.test(style)
}

interface Row {
  readonly cells: string[]
  /** Parts of the open cell. */
  cell: string[] | undefined
  isLayout: boolean
}

/** Whether text is shown inside an element that is still open. */
interface Level {
  readonly isShown: boolean
  readonly isText: boolean
}

function createPage(into: TextBuilder): {
  open(tag: string, attribute: (name: string) => string | undefined): void
  close(tag: string): void
  text(text: string): void
  finish(): AboutHtml
} {
  const levels: Level[] = []
  const kinds: { readonly tag: string; readonly kind: BlockKind; readonly level?: number }[] = []
  const rows: Row[] = []
  let parts: string[] = []
  let title: string[] | undefined
  let pageTitle: string | undefined
  let language: string | undefined
  let hiddenPassage = false
  let preformatted = 0
  let inSvg = 0

  const now = (): Level => levels.at(-1) ?? { isShown: true, isText: true }
  const row = (): Row | undefined => {
    const last = rows.at(-1)
    return last?.isLayout === false ? last : undefined
  }
  const flush = (): void => {
    const text = parts.join('')
    parts = []
    const { kind, level } = kinds.at(-1) ?? { kind: 'paragraph' as const }
    into.add(kind, kind === 'code' ? text : text.replace(/ *\n */g, '\n').replace(/ {2,}/g, ' '), level)
  }
  const endCell = (open: Row): void => {
    if (open.cell !== undefined) open.cells.push(oneLine(open.cell.join('')))
    open.cell = undefined
  }
  const endRow = (open: Row): void => {
    endCell(open)
    into.add('table-row', rowText(open.cells))
    open.cells.length = 0
  }
  const breakBlock = (tag: string): void => {
    const open = row()
    if (open?.cell === undefined) flush()
    else if (breaksRow.has(tag)) {
      endRow(open)
      open.isLayout = true
    } else open.cell.push(' ')
  }

  return {
    open(tag, attribute) {
      const outer = now()
      const isShown = outer.isShown && !isHidden(attribute)
      const isText = outer.isText && !notText.has(tag) && (tag !== 'title' || inSvg === 0)
      levels.push({ isShown, isText })
      if (outer.isShown && !isShown) hiddenPassage = false
      if (tag === 'svg') inSvg++
      if (tag === 'html') language = attribute('lang') ?? attribute('xml:lang')
      if (tag === 'title' && inSvg === 0 && pageTitle === undefined) title = []
      if (!isShown || !isText) return
      if (tag === 'br') (row()?.cell ?? parts).push(row()?.cell === undefined ? '\n' : ' ')
      if (breaksBlock.has(tag)) breakBlock(tag)
      if (tag === 'table') rows.push({ cells: [], cell: undefined, isLayout: true })
      if (tag === 'tr' && rows.length > 0) rows[rows.length - 1] = { cells: [], cell: undefined, isLayout: false }
      const open = row()
      if ((tag === 'td' || tag === 'th') && open !== undefined) open.cell = []
      if (tag === 'pre') preformatted++
      const level = headingLevels.get(tag)
      if (level !== undefined) kinds.push({ tag, kind: 'heading', level })
      if (tag === 'li') kinds.push({ tag, kind: 'list-item' })
      if (tag === 'pre') kinds.push({ tag, kind: 'code' })
      if (tag === 'blockquote') kinds.push({ tag, kind: 'quote' })
    },
    close(tag) {
      const { isShown, isText } = now()
      levels.pop()
      if (tag === 'svg') inSvg--
      if (tag === 'title' && title !== undefined) {
        pageTitle = oneLine(title.join(''))
        title = undefined
      }
      if (!isShown || !isText) return
      if (breaksBlock.has(tag)) breakBlock('')
      const open = row()
      if ((tag === 'td' || tag === 'th') && open !== undefined) endCell(open)
      if (tag === 'tr' && open !== undefined) {
        endRow(open)
        open.isLayout = true
      }
      if (tag === 'table') rows.pop()
      if (tag === 'pre') preformatted--
      if (kinds.at(-1)?.tag === tag) kinds.pop()
    },
    text(text) {
      if (title !== undefined) {
        title.push(text)
        return
      }
      const { isShown, isText } = now()
      if (!isText) return
      if (!isShown) {
        if (!hiddenPassage && text.trim() !== '') {
          hiddenPassage = true
          into.flag('hidden-text')
        }
        return
      }
      const cell = row()?.cell
      if (cell !== undefined) cell.push(text)
      else if (row() === undefined || text.trim() !== '')
        parts.push(preformatted > 0 ? text : text.replace(/[\t\n\f\r ]+/g, ' '))
    },
    finish() {
      flush()
      return {
        ...(pageTitle === undefined || pageTitle === '' ? {} : { title: pageTitle }),
        ...(language === undefined ? {} : { language }),
      }
    },
  }
}
