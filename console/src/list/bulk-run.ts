import { type CellRow, randomKey } from 'docket-client'
import { docket, pageUser } from '../docket.ts'
import { authorColumns, authorOf, textOf } from '../form/texts.ts'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import {
  asWritten,
  type BulkBody,
  type BulkChanges,
  type BulkValues,
  bodyOfChanges,
  bodyOfUndo,
  wouldChange,
} from './bulk-changes.ts'
import { importRows } from './import-rows.ts'
import { printQuery, readQuery } from './list-query.ts'
import type { Selection } from './use-selection.ts'

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
  /** Records that have the new values already. */
  readonly unchanged: readonly Target[]
  /** The user stopped the run: the other targets are unchanged. */
  readonly isStopped: boolean
  /** The run broke at these: whether the server has written them is unknown. Those after them are unchanged. */
  readonly broken: { readonly error: unknown; readonly targets: readonly Target[] } | null
}

const maxTargets = 10_000
const batchRows = 100

/** Query that selects the chosen records, without an order. */
export function selectedQuery(query: string, { sysIds, isAll }: Selection): string {
  if (!isAll) return `sys_idIN${[...sysIds].join(',')}`
  const read = readQuery(query)
  const text = read.ok ? printQuery({ ...read.query, orders: [] }) : query
  return text === '' ? 'sys_idISNOTEMPTY' : text
}

/** Reads the selected records with the values that the run is going to overwrite. Throws if they are too many for one run. */
export async function readTargets(
  info: TableInfo,
  query: string,
  columns: readonly string[],
  signal: AbortSignal,
): Promise<readonly Target[]> {
  const fields = [...new Set(['sys_id', info.displayColumn, ...columns])]
  const rows = await docket
    .table(info.entry.name)
    .list(query, { fields, display: 'all', signal })
    .toArray({ max: maxTargets + 1 })
  if (rows.length > maxTargets) throw new Error(t('bulk.tooMany', { max: maxTargets }))
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
      return column === undefined || row[name] === undefined ? [] : [[name, textOf(row[name], column)]]
    }),
  )

interface Run {
  readonly info: TableInfo
  readonly isDry: boolean
  readonly signal: AbortSignal
  readonly onProgress: (done: number, failed: number) => void
}

/**
 * Writes the changes, after reading once more what they replace. A record that has the new values already is not written. What was written
 * before the run breaks is part of its result.
 */
export function changeTargets(targets: readonly Target[], changes: BulkChanges, run: Run): Promise<BulkResult> {
  const body = bodyOfChanges(changes, run.info)
  return writeTargets(targets, { ...run, latest: run.isDry ? asRead : latestOf(changes, run.info) }, ({ before }) =>
    wouldChange(before, changes) ? body : null,
  )
}

type Latest = (batch: readonly Target[]) => Promise<readonly Target[]>
const asRead: Latest = (batch) => Promise.resolve(batch)

/** What the records have now. One that is gone stays: the server rejects it with the reason. */
const latestOf =
  (changes: BulkChanges, info: TableInfo): Latest =>
  async (batch) => {
    const now = await readNow(info, batch, Object.keys(changes))
    return batch.map((target) => ({ ...target, before: now.get(target.sysId)?.texts ?? target.before }))
  }

/** What a record has now. */
interface Now {
  readonly texts: BulkValues
  /** Name of the user who has changed it last. */
  readonly author: string
  readonly isOwn: boolean
}

async function readNow(
  info: TableInfo,
  targets: readonly Target[],
  columns: readonly string[],
): Promise<ReadonlyMap<string, Now>> {
  const rows = await docket
    .table(info.entry.name)
    .list(`sys_idIN${targets.map(({ sysId }) => sysId).join(',')}`, {
      fields: [...new Set(['sys_id', ...authorColumns(info), ...columns])],
      display: 'all',
    })
    .toArray({ max: targets.length })
  return new Map(
    rows.map((row) => {
      const author = row['sys_updated_by']
      // Of a table without authors, nothing says that it was another user.
      const isOwn = author === undefined || author.value === pageUser()
      return [String(row['sys_id']?.value), { texts: textsIn(row, columns, info), author: authorOf(row), isOwn }]
    }),
  )
}

/** What the user may not read of a record does not count as the same. */
const isSame = (one: BulkValues, other: BulkValues, columns: readonly string[]): boolean =>
  columns.every((name) => one[name] !== undefined && one[name] === other[name])

/**
 * Writes in batches. A rejected row does not stop the others; a deleted record counts as a failure.
 *
 * @param bodyFor null: the record stays as it is; a text: why it cannot be written
 */
async function writeTargets(
  targets: readonly Target[],
  { info, isDry, signal, onProgress, latest }: Run & { readonly latest: Latest },
  bodyFor: (target: Target) => BulkBody | string | null,
): Promise<BulkResult> {
  const changed: Target[] = []
  const failures: Failure[] = []
  const unchanged: Target[] = []
  for (let at = 0; at < targets.length; at += batchRows) {
    if (signal.aborted) return { changed, failures, unchanged, isStopped: true, broken: null }
    let rows: readonly Row[] = []
    let batch: readonly Target[]
    let rejected: readonly Failure[]
    let kept: readonly Target[]
    let errors: ReadonlyMap<number, string>
    try {
      batch = await latest(targets.slice(at, at + batchRows))
      const planned = batch.map((target) => ({ target, body: bodyFor(target) }))
      rows = planned.filter((each): each is Row => typeof each.body === 'object' && each.body !== null)
      rejected = planned.flatMap(({ target, body }) => (typeof body === 'string' ? [{ target, message: body }] : []))
      kept = planned.filter(({ body }) => body === null).map(({ target }) => target)
      errors = await importBatch(info, rows, isDry)
    } catch (error) {
      if (isDry) throw error
      const broken = { error, targets: rows.map(({ target }) => target) }
      return { changed, failures, unchanged, isStopped: false, broken }
    }
    for (const [index, { target }] of rows.entries()) {
      const message = errors.get(index + 1)
      if (message === undefined) changed.push(target)
      else failures.push({ target, message })
    }
    failures.push(...rejected)
    unchanged.push(...kept)
    onProgress(at + batch.length, failures.length)
  }
  return { changed, failures, unchanged, isStopped: false, broken: null }
}

interface Row {
  readonly target: Target
  readonly body: BulkBody
}

interface ImportReport {
  readonly errors: readonly { readonly line: number; readonly message: string }[]
}

/** @returns messages by number of the row, from 1 */
async function importBatch(
  info: TableInfo,
  rows: readonly Row[],
  isDry: boolean,
): Promise<ReadonlyMap<number, string>> {
  if (rows.length === 0) return new Map()
  const lines = rows.map(({ target, body }) => JSON.stringify({ sys_id: target.sysId, ...body }))
  const parameters = new URLSearchParams({
    key: 'sys_id',
    on_hit: 'patch',
    // An administrator would create it again.
    on_miss: 'reject',
    sysparm_input_display_value: '1',
    ...(isDry ? { dry_run: '1' } : {}),
  })
  const { errors } = await importRows<ImportReport>(info.entry.name, lines, {
    parameters,
    idempotencyKey: isDry ? null : randomKey(),
  })
  return new Map(errors.map(({ line, message }) => [line, message]))
}

export interface Written {
  readonly changed: readonly Target[]
  /** Whether the server has written these is unknown. */
  readonly uncertain: readonly Target[]
  /** As they were typed. */
  readonly changes: BulkChanges
  readonly info: TableInfo
}

/** The changes as the server has written them, for `undoTargets`. */
export async function readWritten({ changed, uncertain, changes, info }: Written): Promise<BulkChanges> {
  const some = (changed.length > 0 ? changed : uncertain).slice(0, batchRows)
  const columns = Object.keys(changes)
  const now = await readNow(info, some, columns)
  const isWritten = ({ before }: Target, { texts, isOwn }: Now): boolean =>
    changed.length > 0 || (isOwn && !isSame(before, texts, columns))
  const written = some.flatMap((target) => {
    const read = now.get(target.sysId)
    return read !== undefined && isWritten(target, read) ? [read.texts] : []
  })
  return asWritten(changes, written)
}

/**
 * Takes the changes back, except where another user changed the values since. What was taken back before counts as unchanged.
 *
 * @param changes as the server has written them
 */
export async function undoTargets(
  changed: readonly Target[],
  changes: BulkChanges,
  run: Omit<Run, 'isDry'>,
): Promise<BulkResult> {
  let now: ReadonlyMap<string, Now> = new Map()
  const columns = Object.keys(changes)
  const latest: Latest = async (batch) => {
    now = await readNow(run.info, batch, columns)
    return batch
  }
  return writeTargets(changed, { ...run, isDry: false, latest }, ({ sysId, before }) => {
    const read = now.get(sysId)
    if (read === undefined) return t('state.notFound')
    if (isSame(before, read.texts, columns)) return null
    if (columns.some((name) => before[name] === undefined || read.texts[name] === undefined))
      return t('bulk.unreadable')
    return bodyOfUndo({ before, now: read.texts }, changes, run.info) ?? t('bulk.changedSince', { who: read.author })
  })
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
