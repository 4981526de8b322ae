import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { CellRow, DocketEvent } from 'docket-client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { listen } from '../live/event-stream.ts'
import { usePolling } from '../live/use-polling.ts'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { RICH_AS_JSON, type Version } from './record-query.ts'
import { authorOf, isBookkeeping, textOf } from './texts.ts'

/** What others have changed since the record was opened: the newest values of the changed columns. */
interface ForeignChange {
  readonly columns: ReadonlySet<string>
  readonly row: CellRow
}

/**
 * Reports what others change in the open record, and who. Nothing moves until the user says so; the activity follows at once.
 * The notice ends as soon as the form has the new values, whichever way they came.
 *
 * @param newest the record as it was read last
 * @returns the notice; null if there is none
 */
export function useRecordEvents(
  info: TableInfo,
  sysId: string,
  opened: Version | null,
  newest: Version | null,
): string | null {
  const client = useQueryClient()
  const { user } = useSession()
  const [foreign, setForeign] = useState<ForeignChange | null>(null)
  const [isDeleted, setDeleted] = useState(false)
  const seen = useRef<ReadonlySet<string>>(new Set())
  const { name } = info.entry
  const read = useCallback(async (): Promise<void> => {
    const columns = seen.current
    const fields = ['sys_updated_by', ...columns]
    // If the values cannot be read, no notice is displayed: the next save reads the record.
    const now = await docket
      .table(name)
      .get(sysId, { fields, display: 'all', parameters: RICH_AS_JSON })
      .catch(() => null)
    if (now !== null) setForeign({ columns, row: now.row })
  }, [name, sysId])
  const etag = opened?.etag
  // What was saved here since may have replaced the values of the others.
  useEffect(() => {
    if (etag !== undefined && seen.current.size > 0) void read()
  }, [etag, read])
  useEffect(() => {
    if (sysId === 'new') return undefined
    const receive = (event: DocketEvent): void => {
      if (event.kind === 'reset') readAgain(client, name, sysId)
      if (event.kind !== 'change' || event.change.sys_id !== sysId) return
      void client.invalidateQueries({ queryKey: ['activity', sysId] })
      if (event.change.changed_by === user.sys_id) return
      if (event.change.operation === 'delete') {
        setDeleted(true)
        return
      }
      const changed = Object.keys(event.change.changes).filter((column) => isReported(info, column))
      if (changed.length === 0) return
      seen.current = new Set([...seen.current, ...changed])
      void read()
    }
    return listen([name], receive)
  }, [client, info, name, sysId, user.sys_id, read])
  if (isDeleted) return t('live.deleted')
  if (opened === null) return null
  const found = foreign ?? (isOfAnother(newest, opened, user.sys_id) ? everyColumn(info, newest) : null)
  const titles = found === null ? [] : differing(info, found, opened)
  if (found === null || titles.length === 0) return null
  const who = authorOf(found.row)
  return t('live.changed', { who, columns: titles.join(', ') })
}

const updatedAt = ({ row }: Version): string => String(row['sys_updated_at']?.value ?? '')

/** While no events arrive, the record is read from time to time. @returns whether no events arrive */
export function useRecordPolling(table: string, sysId: string): boolean {
  const client = useQueryClient()
  return usePolling(() => {
    if (sysId !== 'new') readAgain(client, table, sysId)
  })
}

function readAgain(client: QueryClient, table: string, sysId: string): void {
  for (const key of [
    ['record', table, sysId],
    ['activity', sysId],
  ])
    void client.invalidateQueries({ queryKey: key })
}

/** Whether another user has written the record after it was opened here. */
function isOfAnother(newest: Version | null, opened: Version, userId: string): newest is Version {
  if (newest === null || newest.etag === opened.etag) return false
  return updatedAt(newest) >= updatedAt(opened) && newest.row['sys_updated_by']?.value !== userId
}

const everyColumn = (info: TableInfo, { row }: Version): ForeignChange => ({
  columns: new Set([...info.columns.keys()].filter((column) => isReported(info, column))),
  row,
})

const isReported = (info: TableInfo, name: string): boolean => {
  const column = info.columns.get(name)
  return column !== undefined && !isBookkeeping(name) && column.type !== 'journal_input'
}

function differing(info: TableInfo, { columns, row }: ForeignChange, opened: Version): readonly string[] {
  return [...columns].flatMap((name) => {
    const column = info.columns.get(name)
    return column !== undefined && textOf(row[name], column) !== textOf(opened.row[name], column) ? [column.title] : []
  })
}
