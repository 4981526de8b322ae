import { EncodingTrouble, expectedText } from './decode-stream.ts'

/** A row of a file, with the number of the line that it begins on, from 1. */
export interface CsvRow {
  readonly line: number
  /** null: nothing stands between the delimiters; an empty text is written as `""`. */
  readonly cells: readonly (string | null)[]
}

export interface CsvOptions {
  /** null: told by the first line: whichever of `,`, `;` and tab it holds most of. */
  readonly delimiter: ',' | ';' | '\t' | null
  /** A row that is longer is no row: somebody forgot to close a quote. */
  readonly mostUnits: number
}

/** Something that is no CSV; what came before it was. */
export class CsvTrouble extends Error {
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
 * @throws CsvTrouble
 */
export async function* readCsv(text: AsyncIterable<string>, options: CsvOptions): AsyncGenerator<CsvRow> {
  let delimiter: string | null = options.delimiter
  let cells: (string | null)[] = []
  let cell = ''
  let units = 0
  let line = 1
  let began = 1
  let state = 'begin' as 'begin' | 'plain' | 'quoted' | 'quote'
  let wasReturn = false
  let held = ''

  for await (const piece of readable(text)) {
    held += piece
    if (delimiter === null) {
      if (!/[\r\n]/.test(held) && held.length < options.mostUnits) continue
      delimiter = likeliestDelimiter(held)
    }
    yield* take(held.startsWith('\uFEFF') && line === 1 && cells.length === 0 ? held.slice(1) : held)
    held = ''
  }
  if (held !== '') {
    delimiter ??= likeliestDelimiter(held)
    yield* take(held.replace(/^\uFEFF/, ''))
  }
  if (state === 'quoted') throw new CsvTrouble(began, 'a quote is opened and not closed')
  if (cells.length > 0 || cell !== '' || state === 'quote') yield { line: began, cells: [...cells, taken()] }

  function taken(): string | null {
    return cell === '' && state === 'begin' ? null : cell
  }

  async function* readable(pieces: AsyncIterable<string>): AsyncGenerator<string> {
    try {
      yield* pieces
    } catch (error) {
      if (error instanceof EncodingTrouble) throw new CsvTrouble(line, error.message, expectedText)
      throw error
    }
  }

  function* take(chunk: string): Generator<CsvRow> {
    for (const letter of chunk) {
      if (letter === '\n' && wasReturn) {
        wasReturn = false
        if (state === 'quoted') cell += letter
        continue
      }
      wasReturn = letter === '\r'
      units += letter.length
      if (units > options.mostUnits) {
        const why = state === 'quoted' ? 'a quote is opened and not closed, or ' : ''
        throw new CsvTrouble(began, `${why}a row is longer than ${options.mostUnits} characters`)
      }
      if (letter === '\n' || letter === '\r') line += 1
      if (state === 'quoted') {
        if (letter === '"') state = 'quote'
        else cell += letter
      } else if (state === 'quote' && letter === '"') {
        cell += '"'
        state = 'quoted'
      } else if (letter === delimiter) {
        cells.push(taken())
        cell = ''
        state = 'begin'
      } else if (letter === '\n' || letter === '\r') {
        if (cells.length > 0 || cell !== '' || state === 'quote') yield { line: began, cells: [...cells, taken()] }
        cells = []
        cell = ''
        units = 0
        began = line
        state = 'begin'
      } else if (state === 'quote') {
        throw new CsvTrouble(began, `behind a closing quote stands ${JSON.stringify(letter)}`)
      } else if (letter === '"' && state === 'begin') {
        state = 'quoted'
      } else {
        cell += letter
        state = 'plain'
      }
    }
  }
}

function likeliestDelimiter(text: string): string {
  const [first = ''] = text.split(/[\r\n]/, 1)
  const count = (mark: string): number => first.split(mark).length
  return [';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best), ',')
}
