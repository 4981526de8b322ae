import { ConflictError, randomKey } from 'docket-client'
import { docket } from '../docket.ts'
import { authorOf, bodyOf, textOf } from '../form/texts.ts'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { messageOf } from '../ui/states.tsx'
import { hasState, type PastedRow, type PlacedBlock, readPasted, type Version, valuesOf } from './paste-block.ts'

interface Run {
  readonly info: TableInfo
  readonly signal: AbortSignal
  readonly onProgress: (done: number) => void
}

/** Reads the records of the block and tries all values: nothing is written. */
export async function checkBlock(block: PlacedBlock, run: Run): Promise<readonly PastedRow[]> {
  const rows: PastedRow[] = []
  for (let at = 0; at < block.rows.length; at += readTogether) {
    const next = block.rows.slice(at, at + readTogether)
    rows.push(...(await Promise.all(next.map((row) => readPasted(run.info, row, block.columns, run.signal)))))
    run.onProgress(rows.length)
  }
  return tried(rows, run)
}

const readTogether = 5

/** A row reports one error at a time, so a rejected cell is left out and the rest of its row is tried again. */
async function tried(rows: readonly PastedRow[], run: Run): Promise<readonly PastedRow[]> {
  const results = [...rows]
  let pending = rows.flatMap((row, at) => (hasState(row, 'change') ? [at] : []))
  while (pending.length > 0) {
    const errors = await tryRows(
      pending.flatMap((at) => results[at] ?? []),
      run,
    )
    const failed = pending.filter((_, index) => errors.has(index + 1))
    for (const [index, at] of pending.entries()) {
      const row = results[at]
      const error = errors.get(index + 1)
      if (row !== undefined && error !== undefined) results[at] = withError(row, error)
    }
    pending = failed.filter((at) => results[at] !== undefined && hasState(results[at], 'change'))
  }
  return results
}

interface RowFault {
  readonly line: number
  readonly message: string
  readonly field?: string
}

/** @returns errors by the number of the row, from 1 */
async function tryRows(rows: readonly PastedRow[], { info, signal }: Run): Promise<ReadonlyMap<number, RowFault>> {
  const { errors } = await docket.request<{ readonly errors: readonly RowFault[] }>({
    method: 'POST',
    path: `/rest/v1/import/${encodeURIComponent(info.entry.name)}?key=sys_id&on_miss=reject&sysparm_input_display_value=1&dry_run=1`,
    body: rows.map((row) => JSON.stringify({ sys_id: row.sysId, ...valuesOf(row) })).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
    idempotencyKey: randomKey(),
    signal,
  })
  return new Map(errors.map((error) => [error.line, error]))
}

/** An error without a column of the block is one of the whole row. */
function withError(row: PastedRow, { field, message }: RowFault): PastedRow {
  const isNamed = row.cells.some(({ column, state }) => column.path === field && state === 'change')
  const cells = row.cells.map((cell) =>
    cell.state === 'change' && (!isNamed || cell.column.path === field)
      ? { ...cell, state: 'invalid' as const, reason: message }
      : cell,
  )
  return { ...row, cells }
}

export interface WrittenRow {
  readonly row: PastedRow
  readonly etag: string
}

export interface PasteResult {
  readonly written: readonly WrittenRow[]
  readonly failed: readonly { readonly row: PastedRow; readonly message: string }[]
  /** Rows that were not written, because the user stopped. */
  readonly left: number
}

/** Writes row by row, each over the version that was checked. */
export async function writeBlock(rows: readonly PastedRow[], run: Run): Promise<PasteResult> {
  const written: WrittenRow[] = []
  const failed: { readonly row: PastedRow; readonly message: string }[] = []
  const changing = rows.filter((row) => hasState(row, 'change'))
  for (const [at, row] of changing.entries()) {
    if (run.signal.aborted) return { written, failed, left: changing.length - at }
    try {
      const { saved, changed } = await writeRow(row, run.info)
      if (saved === null) failed.push({ row, message: t('paste.changedMeanwhile', { who: authorOf(changed.row) }) })
      else written.push({ row, etag: saved.etag })
    } catch (problem) {
      failed.push({ row, message: messageOf(problem) })
    }
    run.onProgress(at + 1)
  }
  return { written, failed, left: 0 }
}

type Write =
  | { readonly saved: Version; readonly changed: null }
  /** A colleague has changed a field of the block, which is not overwritten. */
  | { readonly saved: null; readonly changed: Version }

/** If a colleague has changed other fields meanwhile, these stay. */
async function writeRow(row: PastedRow, info: TableInfo): Promise<Write> {
  const written = await tryUpdate(row, info, row.version.etag)
  if (written !== null) return written
  const now = await readNow(row, info)
  if (!isAsChecked(row, now)) return { saved: null, changed: now }
  return (await tryUpdate(row, info, now.etag)) ?? { saved: null, changed: await readNow(row, info) }
}

/** @returns null: the record is not as it was any more */
async function tryUpdate(row: PastedRow, info: TableInfo, etag: string): Promise<Write | null> {
  try {
    return { saved: await update(row, info, etag), changed: null }
  } catch (problem) {
    if (isStale(problem)) return null
    throw problem
  }
}

const readNow = (row: PastedRow, info: TableInfo): Promise<Version> =>
  docket
    .table(info.entry.name)
    .get(row.sysId, { fields: [...Object.keys(valuesOf(row)), 'sys_updated_by'], display: 'all' })

const isStale = (problem: unknown): boolean => problem instanceof ConflictError && problem.reason === 'stale'

const update = (row: PastedRow, info: TableInfo, etag: string): Promise<Version> =>
  docket
    .table(info.entry.name)
    .update(row.sysId, valuesOf(row), { ifMatch: etag, display: 'all', inputDisplayValue: true })

const isAsChecked = ({ cells, version }: PastedRow, now: Version): boolean =>
  cells.every(
    ({ column: { path, column }, state }) =>
      state !== 'change' || textOf(now.row[path], column) === textOf(version.row[path], column),
  )

/** Writes the values from before, except where the record was changed after that. @returns how many records are as before */
export async function undoBlock(written: readonly WrittenRow[], info: TableInfo): Promise<number> {
  let count = 0
  for (const { row, etag } of written) {
    const before = Object.fromEntries(
      row.cells.flatMap(({ column: { path, column }, state }) =>
        state === 'change' ? [[path, textOf(row.version.row[path], column)]] : [],
      ),
    )
    try {
      await docket
        .table(info.entry.name)
        .update(row.sysId, bodyOf(before, info), { ifMatch: etag, display: 'all', inputDisplayValue: true })
      count += 1
    } catch (problem) {
      if (!isStale(problem)) throw problem
    }
  }
  return count
}
