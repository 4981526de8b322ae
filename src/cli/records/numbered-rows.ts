import type { ImportRow } from '../../bulk/import-job.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'

/** A row of the file as JSON, with its number, from 1. */
export interface NumberedRow {
  readonly number: number
  readonly line: number
  readonly json: Result<string, Problem>
}

/** Rows per request: about a second of work, so that the bar moves and an interruption loses little. */
const maxRows = 1_000
/**
 * A request has at most 32 MB. A row has at most a million characters (bulk/import-sources.ts), some 12 MB as JSON with the names
 * of its columns, so a request with one more row is below the limit.
 */
const maxBytes = 8 * 1_048_576

export async function* numbered(rows: AsyncIterable<ImportRow>): AsyncGenerator<NumberedRow> {
  let number = 0
  for await (const { line, values } of rows) {
    number += 1
    yield { number, line, json: values.ok ? succeed(JSON.stringify(values.value)) : values }
  }
}

/** The rows of one request. An import that continues forms the same requests: the server knows them by their keys. */
export async function* batches(
  rows: AsyncIterable<NumberedRow> | Iterable<NumberedRow>,
): AsyncGenerator<readonly NumberedRow[]> {
  let batch: NumberedRow[] = []
  let bytes = 0
  for await (const row of rows) {
    batch.push(row)
    bytes += row.json.ok ? Buffer.byteLength(row.json.value) : 0
    if (batch.length < maxRows && bytes < maxBytes) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}
