import { expectedText, InvalidEncoding } from './decode-stream.ts'

/** A row of a file, with the number of its first line, from 1. */
export interface CsvRow<Nothing extends null | '' = null> {
  readonly line: number
  /** null: the cell is empty; an empty text is written as `""`. */
  readonly cells: readonly (string | Nothing)[]
}

export interface CsvOptions {
  /** null: the most frequent of `,`, `;` and tab in the first line. */
  readonly delimiter: ',' | ';' | '\t' | null
  /** A longer row is an error: probably a quote was not closed. */
  readonly maxUnits: number
}

/** A row of commas alone needs more memory than its text. */
const maxCells = 1_000_000

/** The text is not valid CSV; the rows before the error are valid. */
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
 * RFC 4180, with common extensions: other delimiters, line ends of any kind, a byte order mark, empty lines (skipped), and
 * quotes inside a cell that does not begin with one. Keeps one row in memory, whatever the size of the file.
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
 * The rows of a text that may be a table: an unclosed quote ends at the end of the text, and text after a closing quote belongs
 * to the cell. Empty lines are skipped.
 */
export function* csvRows(text: string, delimiter: string): Generator<readonly string[]> {
  const reader = startCsv({ delimiter, maxUnits: Number.POSITIVE_INFINITY, isStrict: false, nothing: '' })
  for (const { cells } of reader.take(text)) yield cells
  for (const { cells } of reader.end()) yield cells
}

interface CsvDialect<Nothing extends null | ''> {
  readonly delimiter: string
  readonly maxUnits: number
  /** False: invalid CSV is read as it is. */
  readonly isStrict: boolean
  /** The value of an empty cell. */
  readonly nothing: Nothing
}

interface CsvReader<Nothing extends null | ''> {
  take(piece: string): Generator<CsvRow<Nothing>>
  end(): Generator<CsvRow<Nothing>>
  /** The current line, from 1. */
  line(): number
}

/** `begin`: no character of the cell is read yet. `quote`: a quote that closes the cell or is the first of two. */
type CellState = 'begin' | 'plain' | 'quoted' | 'quote'

const quoteCode = 0x22
const newLineCode = 0x0a
const returnCode = 0x0d
const noCode = -1

/** Runs of ordinary characters are read at once. */
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
    if (isStrict && cells.length >= maxCells) throw new InvalidCsv(began, `a row has more than ${maxCells} cells`)
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
        // The only remaining mark opens a quoted cell.
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

/** Size of the sample: UTF-16 units and rows. */
const sampleUnits = 64_000
const sampleRows = 100

/**
 * The delimiter of a text that is a table: every row has the same number of cells, at least two.
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
