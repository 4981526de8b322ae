import { expectedText, InvalidEncoding } from './decode-stream.ts'

/** A row of a file, with the number of the line that it begins on, from 1. */
export interface CsvRow<Nothing extends null | '' = null> {
  readonly line: number
  /** null: nothing stands between the delimiters; an empty text is written as `""`. */
  readonly cells: readonly (string | Nothing)[]
}

export interface CsvOptions {
  /** null: the most frequent of `,`, `;` and tab in the first line. */
  readonly delimiter: ',' | ';' | '\t' | null
  /** A row that is longer is no row: somebody forgot to close a quote. */
  readonly maxUnits: number
}

/** The text is no CSV; the rows before that place were. */
export class InvalidCsv extends Error {
  readonly line: number
  readonly expected: string
  constructor(line: number, message: string, expected = 'CSV') {
    super(message)
    this.line = line
    this.expected = expected
  }
}

/**
 * RFC 4180, with what is met in the wild: other delimiters, line ends of any kind, a byte order mark, empty lines (left out), and
 * quotes inside a cell that does not begin with one. It holds one row, whatever the size of the file.
 *
 * @throws InvalidCsv
 */
export async function* readCsv(text: AsyncIterable<string>, options: CsvOptions): AsyncGenerator<CsvRow> {
  let reader: CsvReader<null> | undefined
  let held = ''
  const start = (): CsvReader<null> => {
    const delimiter = options.delimiter ?? likeliestDelimiter(held)
    return startCsv({ delimiter, maxUnits: options.maxUnits, isStrict: true, nothing: null })
  }
  try {
    for await (const piece of text) {
      held += piece
      const isDecided = reader !== undefined || options.delimiter !== null || /[\r\n]/.test(held)
      if (!isDecided && held.length < options.maxUnits) continue
      reader ??= start()
      yield* reader.take(held)
      held = ''
    }
  } catch (error) {
    if (error instanceof InvalidEncoding) throw new InvalidCsv(reader?.line() ?? 1, error.message, expectedText)
    throw error
  }
  reader ??= start()
  yield* reader.take(held)
  yield* reader.end()
}

/**
 * The rows of a text that may be a table: a quote that is never closed ends at the end, and what stands behind a closing quote
 * belongs to the cell. Empty lines are left out.
 */
export function* csvRows(text: string, delimiter: string): Generator<readonly string[]> {
  const reader = startCsv({ delimiter, maxUnits: Number.POSITIVE_INFINITY, isStrict: false, nothing: '' })
  for (const { cells } of reader.take(text)) yield cells
  for (const { cells } of reader.end()) yield cells
}

interface CsvDialect<Nothing extends null | ''> {
  readonly delimiter: string
  readonly maxUnits: number
  /** False: what is no CSV is read on as it stands. */
  readonly isStrict: boolean
  /** What a cell is with nothing between the delimiters. */
  readonly nothing: Nothing
}

interface CsvReader<Nothing extends null | ''> {
  take(piece: string): Generator<CsvRow<Nothing>>
  end(): Generator<CsvRow<Nothing>>
  /** The line that is being read, from 1. */
  line(): number
}

/** `begin`: nothing of the cell is read. `quote`: a quote that closes the cell or is the first of two. */
type CellState = 'begin' | 'plain' | 'quoted' | 'quote'

const quoteCode = 0x22
const newLineCode = 0x0a
const returnCode = 0x0d
const noCode = -1

/** Runs of ordinary characters are taken at once. */
function startCsv<Nothing extends null | ''>({
  delimiter,
  maxUnits,
  isStrict,
  nothing,
}: CsvDialect<Nothing>): CsvReader<Nothing> {
  const delimiterCode = delimiter.charCodeAt(0)
  let cells: (string | Nothing)[] = []
  let cell = ''
  let units = 0
  let line = 1
  let began = 1
  let state: CellState = 'begin'
  let wasReturn = false
  let isFirst = true

  const count = (more: number): void => {
    units += more
    if (units <= maxUnits) return
    const why = state === 'quoted' ? 'a quote is opened and not closed, or ' : ''
    throw new InvalidCsv(began, `${why}a row is longer than ${maxUnits} characters`)
  }
  const endCell = (): void => {
    cells.push(cell === '' && state === 'begin' ? nothing : cell)
    cell = ''
    state = 'begin'
  }
  const endRow = (): CsvRow<Nothing> | undefined => {
    const isEmpty = cells.length === 0 && cell === '' && state !== 'quote'
    if (!isEmpty) endCell()
    const row = isEmpty ? undefined : { line: began, cells }
    cells = []
    units = 0
    began = line
    state = 'begin'
    return row
  }
  const endOfRun = (piece: string, at: number): number => {
    if (state === 'quote') return at
    const isQuoted = state === 'quoted'
    const quote = state === 'plain' ? noCode : quoteCode
    let end = at
    for (; end < piece.length; end++) {
      const code = piece.charCodeAt(end)
      if (code === quote || code === newLineCode || code === returnCode || (code === delimiterCode && !isQuoted)) break
    }
    return end
  }
  const takeBehindQuote = (piece: string, at: number): number => {
    const mark = piece[at] ?? ''
    if (mark !== '"' && isStrict) {
      const found = String.fromCodePoint(piece.codePointAt(at) ?? 0)
      throw new InvalidCsv(began, `behind a closing quote stands ${JSON.stringify(found)}`)
    }
    cell += mark
    state = mark === '"' ? 'quoted' : 'plain'
    return at + 1
  }
  const isLineEnd = (mark: string): boolean => mark === '\r' || mark === '\n'

  function* take(raw: string): Generator<CsvRow<Nothing>> {
    const piece = isFirst ? raw.replace(/^\uFEFF/, '') : raw
    if (raw !== '') isFirst = false
    for (let at = 0; at < piece.length; ) {
      const end = endOfRun(piece, at)
      if (end > at) {
        count(end - at)
        cell += piece.slice(at, end)
        if (state === 'begin') state = 'plain'
        wasReturn = false
        at = end
        continue
      }
      const mark = piece[at] ?? ''
      if (mark === '\n' && wasReturn) {
        wasReturn = false
        if (state === 'quoted') cell += mark
        at++
        continue
      }
      wasReturn = mark === '\r'
      count(1)
      if (isLineEnd(mark)) line += 1
      if (state === 'quoted') {
        if (mark === '"') state = 'quote'
        else cell += mark
        at++
      } else if (mark === delimiter) {
        endCell()
        at++
      } else if (isLineEnd(mark)) {
        const row = endRow()
        if (row !== undefined) yield row
        at++
      } else if (state === 'quote') at = takeBehindQuote(piece, at)
      else {
        // The only mark that is left opens a quoted cell.
        state = 'quoted'
        at++
      }
    }
  }
  function* end(): Generator<CsvRow<Nothing>> {
    if (state === 'quoted' && isStrict) throw new InvalidCsv(began, 'a quote is opened and not closed')
    const row = endRow()
    if (row !== undefined) yield row
  }
  return { take, end, line: () => line }
}

function likeliestDelimiter(text: string): string {
  const [first = ''] = text.split(/[\r\n]/, 1)
  const count = (mark: string): number => first.split(mark).length
  return [';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best), ',')
}

const delimiters = [',', ';', '\t', '|'] as const

/** How many lines of a text are looked at. */
const sampleUnits = 64_000
const sampleRows = 100

/**
 * The delimiter with which a text is a table, if it is one: every row has the same number of cells, at least two.
 *
 * @param isStated the name of the file says that it is a table: then two rows are enough, and a few may differ
 */
export function tableDelimiter(text: string, isStated: boolean): string | undefined {
  const isCut = text.length > sampleUnits
  const sample = isCut ? text.slice(0, text.lastIndexOf('\n', sampleUnits) + 1) || text.slice(0, sampleUnits) : text
  let best: string | undefined
  let max = 1
  for (const delimiter of delimiters) {
    const counts: number[] = []
    for (const cells of csvRows(sample, delimiter)) {
      if (cells.length > 1 || cells[0]?.trim() !== '') counts.push(cells.length)
      if (counts.length >= sampleRows) break
    }
    const width = counts[0] ?? 0
    const share = counts.filter((each) => each === width).length / Math.max(1, counts.length)
    // Prose has commas, too: without a file name that says CSV, three columns or a tab are required.
    const isTable = isStated
      ? share >= 0.8
      : share === 1 && counts.length >= 3 && (width > 2 || delimiter === '\t' || delimiter === ';')
    if (isTable && width > max) {
      best = delimiter
      max = width
    }
  }
  return best
}
