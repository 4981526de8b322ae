import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { CellRow, Change, DocketEvent } from 'docket-client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { coalesced } from '../live/coalesced.ts'
import { listen } from '../live/event-stream.ts'
import { readAgain } from '../live/read-again.ts'
import { usePolling } from '../live/use-polling.ts'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { RICH_AS_JSON, recordKey, type Version } from './record-query.ts'
import { authorColumns, authorOf, isBookkeeping, textOf } from './texts.ts'

/** What others have changed since the record was opened: the newest values of the changed columns. */
interface ForeignChange {
  readonly columns: ReadonlySet<string>
  readonly row: CellRow
  /** ETag of the version that the form displayed when it was read. */
  readonly beside: string | undefined
}

interface DisplayedRecord {
  readonly sysId: string
  readonly opened: Version | null
  /** As it was read last. */
  readonly newest: Version | null
  /** A write of this page is on its way. */
  readonly isSaving: boolean
}

interface ChangeNotice {
  readonly text: string
  /** Whether the form can take the change over: there is nothing to take over from a deleted record. */
  readonly canApply: boolean
}

/**
 * Reports what is changed in the open record elsewhere, and who did it: others, or the same user in another tab. Nothing moves until the
 * user says so; the activity follows at once. The notice ends as soon as the form has the new values, whichever way they came.
 *
 * @returns null if there is nothing to report
 */
export function useRecordEvents(
  info: TableInfo,
  { sysId, opened, newest, isSaving }: DisplayedRecord,
): ChangeNotice | null {
  const client = useQueryClient()
  const { user } = useSession()
  const [foreign, setForeign] = useState<ForeignChange | null>(null)
  /** Name of the user who deleted the record; null: it is there. */
  const [deletedBy, setDeletedBy] = useState<string | null>(null)
  const reported = useRef<ReadonlySet<string>>(new Set())
  /** Changes by the same user that arrived during a write of this page: they may be that write, or one in another tab. */
  const duringWrite = useRef<readonly Change[]>([])
  const reads = useRef(0)
  const displayed = useRef({ opened, isSaving })
  displayed.current = { opened, isSaving }
  const { name } = info.entry
  const read = useCallback(async (): Promise<void> => {
    const columns = reported.current
    reads.current += 1
    const own = reads.current
    const fields = [...authorColumns(info), ...columns]
    // If the values cannot be read, no notice is displayed: the next save reads the record.
    const now = await docket
      .table(name)
      .get(sysId, { fields, display: 'all', parameters: RICH_AS_JSON })
      .catch(() => null)
    // A read that began earlier may respond later, with older values.
    if (now === null || own !== reads.current) return
    setForeign({ columns, row: now.row, beside: displayed.current.opened?.etag })
  }, [info, name, sysId])
  const etag = opened?.etag
  // What was saved here since may have replaced the values of the others.
  useEffect(() => {
    if (etag !== undefined && reported.current.size > 0) void read()
  }, [etag, read])
  useEffect(() => {
    if (isSaving || duringWrite.current.length === 0) return
    const remote = duringWrite.current.filter((change) => !isDisplayed(info, change, displayed.current.opened))
    duringWrite.current = []
    if (remote.length === 0) return
    reported.current = new Set([...reported.current, ...remote.flatMap((change) => reportedColumns(info, change))])
    void read()
  }, [isSaving, info, read])
  useEffect(() => {
    if (sysId === 'new') return undefined
    const readActivity = coalesced(() => readAgain(client, ['activity', sysId]))
    const readChanged = coalesced(read)
    const receive = (event: DocketEvent): void => {
      if (event.kind === 'reset') readRecordAgain(client, name, sysId)
      if (event.kind !== 'change' || event.change.sys_id !== sysId) return
      readActivity()
      if (event.change.operation === 'delete') {
        void nameOfUser(event.change.changed_by).then(setDeletedBy)
        return
      }
      const { change } = event
      const changed = reportedColumns(info, change)
      if (changed.length === 0) return
      // What this page writes it displays by itself.
      if (change.changed_by === user.sys_id) {
        if (isDisplayed(info, change, displayed.current.opened)) return
        if (displayed.current.isSaving) {
          duringWrite.current = [...duringWrite.current, change]
          return
        }
      }
      reported.current = new Set([...reported.current, ...changed])
      readChanged()
    }
    return listen([name], receive)
  }, [client, info, name, sysId, user.sys_id, read])
  if (deletedBy !== null) return { text: t('form.deleted', { who: deletedBy }), canApply: false }
  if (opened === null) return null
  // What was read beside an earlier version is read again: meanwhile it says nothing about this one.
  const current = foreign?.beside === opened.etag ? foreign : null
  const found = current ?? (isNewer(newest, opened) ? everyColumn(info, newest) : null)
  const titles = found === null ? [] : differing(info, found, opened)
  if (found === null || titles.length === 0) return null
  // The response to the write of this page may come after its event.
  if (isSaving && found.row['sys_updated_by']?.value === user.sys_id) return null
  const who = authorOf(found.row)
  return { text: t('form.changed', { who, columns: titles.join(', ') }), canApply: true }
}

/** Whether the form has the values of the change. */
function isDisplayed(info: TableInfo, change: Change, opened: Version | null): boolean {
  const textOf = (value: unknown): string => JSON.stringify(value ?? null)
  return reportedColumns(info, change).every(
    (column) => textOf(change.changes[column]?.new_value) === textOf(opened?.row[column]?.value),
  )
}

const reportedColumns = (info: TableInfo, { changes }: Change): readonly string[] =>
  Object.keys(changes).filter((column) => isReported(info, column))

/** Users who may not read the record of the user get a word in place of the name. */
async function nameOfUser(sysId: string | null): Promise<string> {
  const fields = ['display_name']
  const found =
    sysId === null
      ? null
      : await docket
          .table('user')
          .get(sysId, { fields, display: 'all' })
          .catch(() => null)
  return found?.row['display_name']?.display_value ?? t('conflict.somebody')
}

const updatedAt = ({ row }: Version): string => String(row['sys_updated_at']?.value ?? '')

/** While no events arrive, the record is read from time to time. @returns whether no events arrive */
export function useRecordPolling(table: string, sysId: string): boolean {
  const client = useQueryClient()
  return usePolling(() => {
    if (sysId !== 'new') readRecordAgain(client, table, sysId)
  })
}

function readRecordAgain(client: QueryClient, table: string, sysId: string): void {
  for (const key of [recordKey(table, sysId), ['activity', sysId]]) void client.invalidateQueries({ queryKey: key })
}

/** Whether the record was written after it was opened here. */
const isNewer = (newest: Version | null, opened: Version): newest is Version =>
  newest !== null && newest.etag !== opened.etag && updatedAt(newest) >= updatedAt(opened)

const everyColumn = (info: TableInfo, { row }: Version): Pick<ForeignChange, 'columns' | 'row'> => ({
  columns: new Set([...info.columns.keys()].filter((column) => isReported(info, column))),
  row,
})

const isReported = (info: TableInfo, name: string): boolean => {
  const column = info.columns.get(name)
  return column !== undefined && !isBookkeeping(name) && column.type !== 'journal_input'
}

function differing(
  info: TableInfo,
  { columns, row }: Pick<ForeignChange, 'columns' | 'row'>,
  opened: Version,
): readonly string[] {
  return [...columns].flatMap((name) => {
    const column = info.columns.get(name)
    return column !== undefined && textOf(row[name], column) !== textOf(opened.row[name], column) ? [column.title] : []
  })
}
