/** Many records at once. An entry of its own, so that programs without it do not load it. */
import type { Docket } from './connect.ts'
import { exportedFile } from './export-rows.ts'
import type { CallOptions, Send } from './http.ts'
import { pathSegment } from './path-segment.ts'
import { randomKey } from './random-key.ts'
import type { ExportOptions, Query } from './record-options.ts'
import { definedOf, textOf } from './record-parameters.ts'
import type { Row, UpdateOf } from './table-types.ts'

export { createMany, ImportInterrupted, type ImportOptions, type ImportOutcome, upsertMany } from './import-rows.ts'

export interface ChangeManyOptions extends CallOptions {
  /** Another number of matching records is a `ConflictError`, and nothing is written. */
  readonly expectedCount?: number | undefined
  /** All writes are tried, and none is kept. */
  readonly dryRun?: boolean | undefined
  /** The values are display values. */
  readonly inputDisplayValue?: boolean | undefined
}

/** What `POST /rest/v1/bulk/{table}` did, or would do (docs/changes.md). */
export interface ManyChanged {
  readonly count: number
  readonly dry_run: boolean
  /** Of a dry run: records that cannot be written. */
  readonly failed: number
  /** Of a dry run: the first 20. */
  readonly errors: readonly {
    readonly record: string
    readonly code: string
    readonly message: string
    readonly field?: string
  }[]
  /** Of a delete: records that are deleted or lose a reference, as far as the caller may read them. */
  readonly dependents?: readonly Row[]
}

/**
 * Changes all records that the query finds, or none. The idempotency key makes a repeated request change nothing more. There is no limit
 * of time, unless `timeoutMs` is given.
 */
export function updateMany<T extends object, Name extends keyof T & string>(
  docket: Docket<T>,
  table: Name,
  {
    query,
    values,
    ...options
  }: { readonly query: Query<T, T[Name]>; readonly values: UpdateOf<T[Name]> } & ChangeManyOptions,
): Promise<ManyChanged> {
  return changeMany(docket.send, table, { query: textOf(query), action: 'update', values }, options)
}

/** Deletes all records that the query finds, or none. There is no limit of time, unless `timeoutMs` is given. */
export function deleteMany<T extends object, Name extends keyof T & string>(
  docket: Docket<T>,
  table: Name,
  { query, ...options }: { readonly query: Query<T, T[Name]> } & Omit<ChangeManyOptions, 'inputDisplayValue'>,
): Promise<ManyChanged> {
  return changeMany(docket.send, table, { query: textOf(query), action: 'delete' }, options)
}

async function changeMany(send: Send, table: string, change: object, options: ChangeManyOptions): Promise<ManyChanged> {
  const { expectedCount, dryRun, inputDisplayValue, ...call } = options
  const parameters = definedOf({ sysparm_input_display_value: inputDisplayValue === true ? '1' : undefined })
  const response = await send({
    timeoutMs: Number.POSITIVE_INFINITY,
    idempotencyKey: randomKey(),
    ...call,
    method: 'POST',
    path: withParameters(`/rest/v1/bulk/${pathSegment(table)}`, parameters),
    body: { ...change, dry_run: dryRun, expected_count: expectedCount },
  })
  return ((await response.json()) as { readonly data: ManyChanged }).data
}

/** All matching records as a file, byte by byte: CSV or NDJSON. */
export function exportFile<T extends object, Name extends keyof T & string>(
  docket: Docket<T>,
  table: Name,
  options: ExportOptions & { readonly query?: Query<T, T[Name]>; readonly format?: 'csv' | 'ndjson' } = {},
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { query = '', format = 'csv', ...others } = options
  return exportedFile(docket.send, table, { ...others, query, format })
}

const withParameters = (path: string, parameters: URLSearchParams): string =>
  parameters.size === 0 ? path : `${path}?${parameters}`
