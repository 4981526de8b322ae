import type { Docket } from './connect.ts'
import type { DocketError } from './errors.ts'
import type { CallOptions, Send } from './http.ts'
import { randomKey } from './random-key.ts'
import { definedOf } from './record-parameters.ts'
import type { CreateOf, Row } from './table-types.ts'

type Rows<R> = Iterable<R> | AsyncIterable<R>

export interface ImportOptions extends CallOptions {
  /** Rows are checked as by an import, and none is kept. */
  readonly dryRun?: boolean | undefined
  /** Values are as people read them, times in the time zone of the caller. */
  readonly inputDisplayValue?: boolean | undefined
  /** Called after each request, with the outcome so far. */
  readonly onProgress?: ((outcome: ImportOutcome) => void) | undefined
}

export interface ImportOutcome {
  /** Rows that were sent. */
  readonly rows: number
  readonly inserted: number
  readonly updated: number
  readonly skipped: number
  readonly failed: number
  /** Rows that were rejected, by their number from 1. The others are written. */
  readonly errors: readonly RowError[]
  /** Columns that the server fills itself. */
  readonly ignoredColumns: readonly string[]
}

export interface RowError {
  readonly line: number
  readonly code: string
  readonly message: string
  readonly field?: string
}

/**
 * A request of an import failed. What was written before it stays, and `outcome` says what that is. If `cause.isUncertain`, the rows of the
 * failed request may be written, too.
 */
export class ImportInterrupted extends Error {
  override readonly name = 'ImportInterrupted'
  override readonly cause: DocketError
  readonly outcome: ImportOutcome

  constructor(cause: DocketError, outcome: ImportOutcome) {
    super(`The import stopped after ${outcome.rows} rows: ${cause.message}`)
    this.cause = cause
    this.outcome = outcome
  }
}

/**
 * Creates a record for each row, in requests of some hundreds of rows. Rows are read as they are sent. Each request has a key, so that a
 * repeated one creates no record twice. With an `idempotencyKey` of the caller, a second call with the same rows within a day goes on
 * where the first one stopped. There is no limit of time, unless `timeoutMs` is given.
 *
 * @throws ImportInterrupted when a request fails after all its retries
 */
export function createMany<T extends object, Name extends keyof T & string>(
  docket: Docket<T>,
  table: Name,
  rows: Rows<CreateOf<T[Name]>>,
  options: ImportOptions = {},
): Promise<ImportOutcome> {
  return importRows(docket.send, table, { rows, options, parameters: {} })
}

/**
 * Changes the record that has the same values in the key columns, or creates one. A request is sent once: the same rows again would add
 * their journal entries again. There is no limit of time, unless `timeoutMs` is given.
 *
 * @throws ImportInterrupted when a request fails
 */
export function upsertMany<T extends object, Name extends keyof T & string>(
  docket: Docket<T>,
  table: Name,
  rows: Rows<Partial<CreateOf<T[Name]>>>,
  { key, onHit, ...options }: Omit<ImportOptions, 'idempotencyKey'> & UpsertOptions<CreateOf<T[Name]>>,
): Promise<ImportOutcome> {
  return importRows(docket.send, table, { rows, options, parameters: { key: key.join(','), on_hit: onHit } })
}

interface UpsertOptions<R> {
  /** Columns that identify a record. */
  readonly key: readonly [keyof R & string, ...(keyof R & string)[]]
  /** What becomes of a record that is there; default `update`. */
  readonly onHit?: 'update' | 'skip' | undefined
}

interface Import {
  readonly rows: Rows<unknown>
  readonly options: ImportOptions
  readonly parameters: Readonly<Record<string, string | undefined>>
}

const nothing: ImportOutcome = {
  rows: 0,
  inserted: 0,
  updated: 0,
  skipped: 0,
  failed: 0,
  errors: [],
  ignoredColumns: [],
}

async function importRows(send: Send, table: string, { rows, options, parameters }: Import): Promise<ImportOutcome> {
  const { dryRun, inputDisplayValue, onProgress, idempotencyKey = randomKey(), ...call } = options
  const given = definedOf({
    ...parameters,
    dry_run: dryRun === true ? '1' : undefined,
    sysparm_input_display_value: inputDisplayValue === true ? '1' : undefined,
  })
  let outcome = nothing
  let number = 0
  for await (const batch of batchesOf(rows)) {
    number += 1
    const body = new FormData()
    body.append(
      'file',
      new Blob([`{${JSON.stringify(table)}:[${batch.join(',')}]}`], { type: 'application/json' }),
      'rows.json',
    )
    const response = await send({
      timeoutMs: Number.POSITIVE_INFINITY,
      ...call,
      // Former versions of the server ignore it beside `key`, so there the request goes without it and is not repeated.
      idempotencyKey: parameters['key'] === undefined ? `${idempotencyKey}-${number}` : undefined,
      method: 'POST',
      path: `/rest/v1/import/json?${given}`,
      body,
    }).catch((error: DocketError) => {
      throw new ImportInterrupted(error, outcome)
    })
    outcome = added(outcome, ((await response.json()) as { readonly data: Imported }).data, batch.length)
    onProgress?.(outcome)
  }
  return outcome
}

interface Imported {
  readonly inserted: number
  readonly updated: number
  readonly skipped: number
  readonly failed: number
  readonly errors: readonly (RowError & { readonly table: string })[]
  readonly ignored_columns: readonly string[]
}

function added(outcome: ImportOutcome, batch: Imported, rows: number): ImportOutcome {
  const errors = batch.errors.map(({ table: _, line, ...error }) => ({ line: outcome.rows + line, ...error }))
  return {
    rows: outcome.rows + rows,
    inserted: outcome.inserted + batch.inserted,
    updated: outcome.updated + batch.updated,
    skipped: outcome.skipped + batch.skipped,
    failed: outcome.failed + batch.failed,
    errors: [...outcome.errors, ...errors],
    ignoredColumns: [...new Set([...outcome.ignoredColumns, ...batch.ignored_columns])],
  }
}

/** The server lists at most 1,000 errors of a request. */
const maxBatchRows = 500
const maxBatchCharacters = 4_000_000

async function* batchesOf(rows: Rows<unknown>): AsyncGenerator<readonly string[]> {
  let batch: string[] = []
  let characters = 0
  for await (const row of rows) {
    const text = JSON.stringify(row as Row)
    if (batch.length === maxBatchRows || (batch.length > 0 && characters + text.length > maxBatchCharacters)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(text)
    characters += text.length
  }
  if (batch.length > 0) yield batch
}
