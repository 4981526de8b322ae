/** Many records at once. An entry of its own, so that programs without it do not load it. */
import type { Docket } from './connect.ts'
import { abortedBySignal, NetworkError } from './errors.ts'
import type { CallOptions, Send } from './http.ts'
import { linesOf } from './lines.ts'
import { randomKey } from './random-key.ts'
import type { Query } from './record-options.ts'
import { DISPLAY, definedOf, textOf } from './record-parameters.ts'
import type { CheckedFields, FieldName, Row, RowOf, UpdateOf } from './table-types.ts'

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
    path: withParameters(`/rest/v1/bulk/${encodeURIComponent(table)}`, parameters),
    body: { ...change, dry_run: dryRun, expected_count: expectedCount },
  })
  return ((await response.json()) as { readonly data: ManyChanged }).data
}

export interface ExportOptions<F = readonly string[] | undefined> extends CallOptions {
  readonly fields?: F | undefined
  readonly display?: 'value' | 'display' | undefined
}

/**
 * All matching records as one stream of the server, in the order of the query. For a stream that goes on after a broken connection
 * use `list` of the table.
 *
 * @throws NetworkError when the stream breaks: the records so far are not all
 * @throws Aborted when the signal ends it
 */
export async function* exportRows<
  T extends object,
  Name extends keyof T & string,
  const F extends readonly FieldName<T[Name]>[] | undefined = undefined,
  const D extends 'value' | 'display' = 'value',
>(
  docket: Docket<T>,
  table: Name,
  options: { readonly query?: Query<T, T[Name]>; readonly display?: D } & Omit<ExportOptions<F>, 'display'> & {
      readonly fields?: CheckedFields<T, T[Name], F> | undefined
    } = {},
): AsyncGenerator<RowOf<T, T[Name], F, D>, void, undefined> {
  const body = await exportFile(docket, table, { ...(options as ExportOptions), format: 'ndjson' })
  try {
    for await (const line of linesOf(body)) if (line !== '') yield JSON.parse(line) as RowOf<T, T[Name], F, D>
  } catch {
    if (options.signal?.aborted === true) throw abortedBySignal()
    throw new NetworkError('The export broke off, so the records so far are not all: run it again.')
  }
}

/** The same as a file, byte by byte: CSV or NDJSON. */
export async function exportFile<T extends object, Name extends keyof T & string>(
  docket: Docket<T>,
  table: Name,
  options: ExportOptions & { readonly query?: Query<T, T[Name]>; readonly format?: 'csv' | 'ndjson' } = {},
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { query, fields, display, format = 'csv', ...call } = options
  const parameters = definedOf({
    format,
    sysparm_query: query === undefined ? undefined : textOf(query),
    sysparm_fields: fields?.join(','),
    sysparm_display_value: DISPLAY[display ?? 'value'],
  })
  const path = `/rest/v1/export/${encodeURIComponent(table)}?${parameters}`
  const { body } = await docket.send({ ...call, method: 'GET', path })
  if (body === null) throw new TypeError('The response has no body.')
  return body
}

const withParameters = (path: string, parameters: URLSearchParams): string =>
  parameters.size === 0 ? path : `${path}?${parameters}`
