import type { ImportRow } from '../../bulk/import-job.ts'
import { isLongNumber } from '../../kernel/exact-json.ts'
import type { Problem } from '../../kernel/problem.ts'
import { maxJsonDepth } from '../../kernel/read-json.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'

/** A row of the file as JSON, with its number, from 1. */
export interface NumberedRow {
  readonly number: number
  readonly line: number
  readonly json: Result<string, Problem>
}

/** Rows per request: about a second of work, so that the bar moves and an interruption loses little. */
const maxRows = 1_000
const maxBytes = 8 * 1_048_576
/** A request has at most 32 MB, besides the rows also the name of its table. */
const maxRowBytes = 32 * 1_048_576 - 10_000

export async function* numbered(rows: AsyncIterable<ImportRow>): AsyncGenerator<NumberedRow> {
  let number = 0
  for await (const { line, values } of rows) {
    number += 1
    yield { number, line, json: values.ok ? jsonOf(values.value) : values }
  }
}

/** Of JSON: a row is an object in a list in an object. */
const maxLevels = maxJsonDepth - 2

/** What the server rejects wherever it is in a request: no row of that request would be written. null: nothing */
function unsendableIn(value: unknown, levels: number): string | null {
  if (typeof value === 'string') return unsendableText(value)
  if (typeof value !== 'object' || value === null || isLongNumber(value)) return null
  if (levels === 0) return `JSON that is nested deeper than ${maxLevels} levels`
  for (const [name, member] of Object.entries(value)) {
    const found = unsendableText(name) ?? unsendableIn(member, levels - 1)
    if (found !== null) return found
  }
  return null
}

function unsendableText(text: string): string | null {
  if (text.includes('\0')) return 'the character U+0000'
  return text.isWellFormed() ? null : 'half of a surrogate pair'
}

function jsonOf(values: object): Result<string, Problem> {
  const unsendable = unsendableIn(values, maxLevels)
  if (unsendable !== null) return fail({ kind: 'bad-body', expected: 'a row that can be stored', found: unsendable })
  const json = JSON.stringify(values)
  if (Buffer.byteLength(json) <= maxRowBytes) return succeed(json)
  const found = `${Buffer.byteLength(json)} bytes`
  return fail({ kind: 'bad-body', expected: `a row of at most ${maxRowBytes} bytes as JSON`, found })
}

/** The rows of one request. An import that continues forms the same requests: the server knows them by their keys. */
export async function* batches(
  rows: AsyncIterable<NumberedRow> | Iterable<NumberedRow>,
): AsyncGenerator<readonly NumberedRow[]> {
  let batch: NumberedRow[] = []
  let bytes = 0
  for await (const row of rows) {
    const more = row.json.ok ? Buffer.byteLength(row.json.value) + 1 : 0
    // A long row has a request of its own.
    if (batch.length > 0 && (batch.length >= maxRows || bytes + more > maxBytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(row)
    bytes += more
  }
  if (batch.length > 0) yield batch
}
