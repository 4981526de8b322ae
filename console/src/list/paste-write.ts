import { ConflictError, DocketError, NotFound, Unauthenticated } from 'docket-client'
import { docket, pageUser } from '../docket.ts'
import { authorColumns, authorOf, bodyOf, textOf } from '../form/texts.ts'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { messageOf } from '../ui/states.tsx'
import { hasState, hasText, type PastedCell, type PastedRow, type Version, valuesOf } from './paste-block.ts'
import type { PasteRun } from './paste-run.ts'

export interface WrittenRow {
  readonly row: PastedRow
  /** null: no response said whether the record is written. */
  readonly etag: string | null
}

interface FailedRow {
  readonly row: PastedRow
  readonly message: string
}

export interface PasteResult {
  readonly written: readonly WrittenRow[]
  readonly failed: readonly FailedRow[]
  /** Rows that are not written: the user stopped, the session has ended, or there was no response. */
  readonly rest: readonly PastedRow[]
  /** Why the run ended before these rows; null: the user stopped it, or there are none. */
  readonly error: unknown
  /** The first row of `rest` may be written: its response was lost. */
  readonly isUnclear: boolean
}

export const toWrite = (rows: readonly PastedRow[]): PasteResult => ({
  written: [],
  failed: [],
  rest: rows.filter((row) => hasState(row, 'change')),
  error: null,
  isUnclear: false,
})

/** Writes the rest of a result row by row, each over the version that was checked. */
export async function writeBlock(from: PasteResult, run: PasteRun): Promise<PasteResult> {
  const written = [...from.written]
  const failed = [...from.failed]
  for (const [at, row] of from.rest.entries()) {
    const wasUnclear = at === 0 && from.isUnclear
    const rest = from.rest.slice(at)
    if (run.signal.aborted) return { written, failed, rest, error: null, isUnclear: wasUnclear }
    try {
      const { saved, changed } = await writeRow(row, run.info, { etag: row.version.etag, wasUnclear, attempts: 2 })
      if (saved === null) failed.push({ row, message: changedText(changed) })
      else written.push({ row, etag: saved.etag })
    } catch (problem) {
      if (endsRun(problem))
        return { written, failed, rest, error: problem, isUnclear: wasUnclear || problem.isUncertain }
      failed.push({ row, message: reasonOf(problem) })
    }
    run.onProgress(at + 1)
  }
  return { written, failed, rest: [], error: null, isUnclear: false }
}

/** The session has ended, or the server does not respond: the rows after this one would have the same error. */
const endsRun = (problem: unknown): problem is DocketError =>
  problem instanceof Unauthenticated ||
  (problem instanceof DocketError && (problem.status === 0 || (problem.status >= 500 && problem.isUncertain)))

const changedText = (now: Version): string =>
  isOwn(now) ? t('paste.changedByYou') : t('paste.changedMeanwhile', { who: authorOf(now.row) })

const reasonOf = (problem: unknown): string => (problem instanceof NotFound ? t('state.notFound') : messageOf(problem))

type Write =
  | { readonly saved: Version; readonly changed: null }
  /** Another user has changed a field of the block, which is not overwritten. */
  | { readonly saved: null; readonly changed: Version }

interface Attempt {
  readonly etag: string
  readonly wasUnclear: boolean
  readonly attempts: number
}

/** If a colleague has changed other fields meanwhile, these stay. */
async function writeRow(row: PastedRow, info: TableInfo, { etag, wasUnclear, attempts }: Attempt): Promise<Write> {
  const outcome = await tryUpdate(row, info, etag)
  if (!(outcome instanceof ConflictError)) return { saved: outcome, changed: null }
  const isUnclear = wasUnclear || outcome.isUncertain
  const now = await readNow(row, info).catch((problem: unknown) => {
    if (problem instanceof DocketError) problem.isUncertain = isUnclear
    throw problem
  })
  if (isWritten(row, now, isUnclear)) return { saved: now, changed: null }
  if (attempts === 1 || !isAsChecked(row, now)) return { saved: null, changed: now }
  return writeRow(row, info, { etag: now.etag, wasUnclear: isUnclear, attempts: attempts - 1 })
}

/** @returns the error if the record is not as it was any more */
async function tryUpdate(row: PastedRow, info: TableInfo, etag: string): Promise<Version | ConflictError> {
  try {
    return await update(row, valuesOf(row), info, etag)
  } catch (problem) {
    if (isStale(problem)) return problem
    throw problem
  }
}

const readNow = (row: PastedRow, info: TableInfo): Promise<Version> =>
  docket
    .table(info.entry.name)
    .get(row.sysId, { fields: [...Object.keys(valuesOf(row)), ...authorColumns(info)], display: 'all' })

const isStale = (problem: unknown): problem is ConflictError =>
  problem instanceof ConflictError && problem.reason === 'stale'

const update = (
  { sysId }: PastedRow,
  values: Readonly<Record<string, unknown>>,
  info: TableInfo,
  ifMatch: string,
): Promise<Version> =>
  docket.table(info.entry.name).update(sysId, values, { ifMatch, display: 'all', inputDisplayValue: true })

/**
 * Whether the record has the pasted values although no response says so. The server may display a value in another form than it was pasted in:
 * then it counts that the same user has changed all of the fields.
 *
 * @param isUnclear the response to a write was lost
 */
function isWritten(row: PastedRow, now: Version, isUnclear: boolean): boolean {
  const written = changes(row)
  if (written.every(({ column: { path, column }, text }) => hasText(now.row[path], text, column)))
    return isUnclear || isOwn(now)
  return isUnclear && isOwn(now) && !written.some((cell) => isCellAsChecked(row, now, cell))
}

const isOwn = ({ row }: Version): boolean => row['sys_updated_by']?.value === pageUser()

const changes = ({ cells }: PastedRow): readonly PastedCell[] => cells.filter(({ state }) => state === 'change')

const isAsChecked = (row: PastedRow, now: Version): boolean =>
  changes(row).every((cell) => isCellAsChecked(row, now, cell))

const isCellAsChecked = ({ version }: PastedRow, now: Version, { column: { path, column } }: PastedCell): boolean =>
  textOf(now.row[path], column) === textOf(version.row[path], column)

export interface UndoResult {
  /** Records that are as before. */
  readonly count: number
  readonly failed: readonly FailedRow[]
  /** Rows that are not undone yet: the session has ended, or there was no response. */
  readonly rest: readonly WrittenRow[]
  readonly error: unknown
}

export function toUndo({ written, rest, isUnclear }: PasteResult): UndoResult {
  const unclear = isUnclear ? rest.slice(0, 1).map((row) => ({ row, etag: null })) : []
  return { count: 0, failed: [], rest: [...written, ...unclear], error: null }
}

/** Writes the values from before into the rest of a result, except where the record was changed after that. */
export async function undoBlock(from: UndoResult, info: TableInfo): Promise<UndoResult> {
  const failed = [...from.failed]
  let { count } = from
  for (const [at, written] of from.rest.entries()) {
    const { row } = written
    try {
      const changed = await undoRow(written, info)
      if (changed === null) count += 1
      else failed.push({ row, message: t('bulk.changedSince', { who: authorOf(changed.row) }) })
    } catch (problem) {
      if (endsRun(problem)) return { count, failed, rest: from.rest.slice(at), error: problem }
      failed.push({ row, message: reasonOf(problem) })
    }
  }
  return { count, failed, rest: [], error: null }
}

/** @returns the record with the change that another user has made since; null: it is as before */
async function undoRow({ row, etag }: WrittenRow, info: TableInfo): Promise<Version | null> {
  if (etag === null) {
    const now = await readNow(row, info)
    if (isAsChecked(row, now)) return null
    return isWritten(row, now, true) ? undoRow({ row, etag: now.etag }, info) : now
  }
  const before = changes(row).map(({ column: { path, column } }) => [path, textOf(row.version.row[path], column)])
  try {
    await update(row, bodyOf(Object.fromEntries(before), info), info, etag)
    return null
  } catch (problem) {
    if (!isStale(problem)) throw problem
    const now = await readNow(row, info)
    // The response to an earlier attempt may have been lost.
    return isAsChecked(row, now) ? null : now
  }
}
