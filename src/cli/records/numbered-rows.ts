import type { ImportRow } from '../../bulk/import-job.ts'
import type { Problem } from '../../kernel/problem.ts'
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

function jsonOf(values: object): Result<string, Problem> {
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
