import { MAX_ROW_CHARACTERS } from '../contract/bulk.ts'
import type { Problem } from '../kernel/problem.ts'
import { readJson } from '../kernel/read-json.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { expectedText, InvalidEncoding } from '../text-formats/decode-stream.ts'
import { unguardCell } from '../text-formats/guard-cell.ts'
import { type CsvOptions, type CsvRow, InvalidCsv, readCsv } from '../text-formats/read-csv.ts'
import type { ImportRow } from './import-job.ts'
import { readLines } from './read-lines.ts'

/** PostgreSQL tables have at most 1,600 columns. */
const maxColumns = 2_000

/**
 * Rows of a CSV file whose first row names the columns.
 *
 * @param isRaw cells are used unchanged; otherwise a `'` before text that a spreadsheet would run is removed
 * @returns an error if the first row is missing, has no names, or names a column twice
 */
export async function csvSource(
  text: AsyncIterable<string>,
  { delimiter, isRaw }: { readonly delimiter: CsvOptions['delimiter']; readonly isRaw: boolean },
): Promise<Result<AsyncIterable<ImportRow>, Problem>> {
  const rows = readCsv(text, { delimiter, maxUnits: MAX_ROW_CHARACTERS })
  const first = await rows.next().catch(problemOfError)
  if ('kind' in first) return fail(first)
  if (first.done) return fail({ kind: 'bad-body', expected: 'CSV whose first row names the columns', found: 'no row' })
  const names = first.value.cells.map((name) => name?.trim() ?? '')
  if (names.length > maxColumns) {
    const found = `${names.length} names`
    return fail({ kind: 'bad-body', expected: `a first row that names at most ${maxColumns} columns`, found })
  }
  const seen = new Set<string>()
  const twice = names.find((name) => name === '' || seen.size === seen.add(name).size)
  if (twice !== undefined) {
    const found = twice === '' ? 'an empty name' : `${twice} twice`
    return fail({ kind: 'bad-body', expected: 'a first row that names each column once', found })
  }
  return succeed(rowsOfCsv(rows, names, isRaw ? (cell) => cell : unguardCell))
}

async function* rowsOfCsv(rows: AsyncIterable<CsvRow>, names: readonly string[], textOf: (cell: string) => string) {
  const cellOf = (cell: string | null | undefined): string | null => (cell == null ? null : textOf(cell))
  try {
    for await (const { line, cells } of rows) {
      if (cells.length === names.length) {
        yield { line, values: succeed(Object.fromEntries(names.map((name, index) => [name, cellOf(cells[index])]))) }
      } else {
        const found = `${cells.length} cells, where the first row has ${names.length}`
        yield { line, values: fail<Problem>({ kind: 'bad-body', expected: 'a cell for each column', found }) }
      }
    }
  } catch (error) {
    // The start of the next row is unknown or cannot be read, so nothing after this line is read.
    const { found, ...problem } = problemOfError(error)
    const values = fail<Problem>({ ...problem, found: `${found}; nothing behind it was read` })
    yield { line: error instanceof InvalidCsv ? error.line : 0, values }
  }
}

function problemOfError(error: unknown): Problem & { readonly kind: 'bad-body' } {
  if (error instanceof InvalidCsv)
    return { kind: 'bad-body', expected: error.expected, found: `${error.message} (line ${error.line})` }
  throw error
}

/** One object per line. */
export async function* ndjsonSource(text: AsyncIterable<string>): AsyncGenerator<ImportRow> {
  let last = 0
  try {
    for await (const { line, text: row } of readLines(text, MAX_ROW_CHARACTERS)) {
      last = line
      yield { line, values: objectOf(row) }
    }
  } catch (error) {
    if (!(error instanceof InvalidEncoding)) throw error
    const found = `${error.message}; nothing behind it was read`
    yield { line: last + 1, values: fail({ kind: 'bad-body', expected: expectedText, found }) }
  }
}

function objectOf(text: string): ImportRow['values'] {
  if (text.length > MAX_ROW_CHARACTERS) return notAnObject(`more than ${MAX_ROW_CHARACTERS} characters`)
  const parsed = readJson(text.replace(/^\uFEFF/, ''), 'as-numbers')
  return parsed.ok ? rowValues(parsed.value) : parsed
}

export function rowValues(value: unknown): ImportRow['values'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return notAnObject(Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`)
  return succeed(value as Readonly<Record<string, unknown>>)
}

const notAnObject = (found: string): Result<never, Problem> =>
  fail({ kind: 'bad-body', expected: 'a JSON object of column names and values', found })
