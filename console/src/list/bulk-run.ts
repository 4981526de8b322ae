import { type CellRow, randomKey } from 'docket-client'
import { docket } from '../docket.ts'
import { bodyOf, textOf } from '../form/texts.ts'
import type { TableInfo } from '../table/table-info.ts'
import { printQuery, readQuery } from './list-query.ts'
import type { Selection } from './use-selection.ts'

/** New values of columns, as texts; '' empties the column. */
export type BulkValues = Readonly<Record<string, string>>

export interface Target {
  readonly sysId: string
  readonly name: string
  /** Texts of the columns before the change. */
  readonly before: BulkValues
}

export interface Failure {
  readonly target: Target
  readonly message: string
}

export interface BulkResult {
  readonly changed: readonly Target[]
  readonly failures: readonly Failure[]
  /** The user stopped the run: the other targets are unchanged. */
  readonly isStopped: boolean
}

export const maxTargets = 10_000
const batchRows = 100

/** Query that selects the chosen records, without an order. */
export function selectedQuery(query: string, { sysIds, isAll }: Selection): string {
  if (!isAll) return `sys_idIN${[...sysIds].join(',')}`
  const read = readQuery(query)
  const text = read.ok ? printQuery({ ...read.query, orders: [] }) : query
  return text === '' ? 'sys_idISNOTEMPTY' : text
}

/** Reads the selected records with the values that the run is going to overwrite. */
export async function readTargets(
  info: TableInfo,
  query: string,
  columns: readonly string[],
  signal: AbortSignal,
): Promise<readonly Target[]> {
  const fields = [...new Set(['sys_id', info.displayColumn, ...columns])]
  const rows = await docket
    .table(info.entry.name)
    .toArray(query, { fields, display: 'all', limit: 500, max: maxTargets, signal })
  return rows.map((row) => ({
    sysId: String(row['sys_id']?.value),
    name: row[info.displayColumn]?.display_value ?? '',
    before: textsIn(row, columns, info),
  }))
}

const textsIn = (row: CellRow, columns: readonly string[], info: TableInfo): BulkValues =>
  Object.fromEntries(
    columns.flatMap((name) => {
      const column = info.columns.get(name)
      return column === undefined ? [] : [[name, textOf(row[name], column)]]
    }),
  )

interface Run {
  readonly info: TableInfo
  readonly isDry: boolean
  readonly signal: AbortSignal
  readonly onProgress: (done: number, failed: number) => void
}

/** Writes in batches. A rejected row does not stop the others; a deleted record counts as a failure. */
export async function writeTargets(
  targets: readonly Target[],
  valuesOf: (target: Target) => BulkValues,
  { info, isDry, signal, onProgress }: Run,
): Promise<BulkResult> {
  const changed: Target[] = []
  const failures: Failure[] = []
  for (let at = 0; at < targets.length; at += batchRows) {
    if (signal.aborted) return { changed, failures, isStopped: true }
    const batch = targets.slice(at, at + batchRows)
    const errors = await importBatch(info, batch, valuesOf, isDry)
    for (const [index, target] of batch.entries()) {
      const message = errors.get(index + 1)
      if (message === undefined) changed.push(target)
      else failures.push({ target, message })
    }
    onProgress(at + batch.length, failures.length)
  }
  return { changed, failures, isStopped: false }
}

interface ImportReport {
  readonly errors: readonly { readonly line: number; readonly message: string }[]
}

/** @returns messages by line number; the first line is 1 */
async function importBatch(
  info: TableInfo,
  batch: readonly Target[],
  valuesOf: (target: Target) => BulkValues,
  isDry: boolean,
): Promise<ReadonlyMap<number, string>> {
  const lines = batch.map((target) => JSON.stringify({ sys_id: target.sysId, ...bodyOf(valuesOf(target), info) }))
  const parameters = new URLSearchParams({
    key: 'sys_id',
    // An administrator would create it again.
    on_miss: 'reject',
    sysparm_input_display_value: '1',
    ...(isDry ? { dry_run: '1' } : {}),
  })
  const { errors } = await docket.request<ImportReport>({
    method: 'POST',
    path: `/rest/v1/import/${encodeURIComponent(info.entry.name)}?${parameters}`,
    body: lines.join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
    idempotencyKey: randomKey(),
    // A batch is written once it is sent, so its result is awaited.
    timeoutMs: 120_000,
  })
  return new Map(errors.map(({ line, message }) => [line, message]))
}

/** Restores the values from before, except where another user changed them since. */
export async function undoTargets(
  changed: readonly Target[],
  values: BulkValues,
  run: Omit<Run, 'isDry'>,
): Promise<BulkResult> {
  const columns = Object.keys(values)
  const now = new Map<string, Target>()
  for (let at = 0; at < changed.length; at += 500) {
    const ids = changed.slice(at, at + 500).map(({ sysId }) => sysId)
    for (const target of await readTargets(run.info, `sys_idIN${ids.join(',')}`, columns, run.signal))
      now.set(target.sysId, target)
  }
  const isAsWritten = ({ sysId }: Target): boolean =>
    columns.every((column) => now.get(sysId)?.before[column] === values[column])
  return writeTargets(changed.filter(isAsWritten), ({ before }) => before, { ...run, isDry: false })
}

export interface DeleteReport {
  readonly count: number
  readonly failed: number
  readonly errors: readonly { readonly record: string; readonly message: string }[]
}

/** Deletes all or none, in one transaction. */
export const deleteSelected = (
  table: string,
  query: string,
  call: { readonly isDry: boolean; readonly expectedCount?: number; readonly signal: AbortSignal },
): Promise<DeleteReport> =>
  docket.request<DeleteReport>({
    method: 'POST',
    path: `/rest/v1/bulk/${encodeURIComponent(table)}`,
    body: { query, action: 'delete', dry_run: call.isDry, expected_count: call.expectedCount },
    idempotencyKey: randomKey(),
    signal: call.signal,
    timeoutMs: 120_000,
  })

/** A CSV file of the failures with their reasons. */
export function failuresFile(failures: readonly Failure[]): string {
  const cell = (text: string): string => {
    // Spreadsheets execute text that begins with these characters; a quote makes it plain text.
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
    return `"${safe.replaceAll('"', '""')}"`
  }
  const lines = failures.map(({ target, message }) => [target.sysId, target.name, message].map(cell).join(','))
  return `\ufeff${['sys_id,name,error', ...lines].join('\r\n')}\r\n`
}
