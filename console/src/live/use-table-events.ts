import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { Change } from 'docket-client'
import { useEffect, useRef, useState } from 'react'
import { useSession } from '../app.tsx'
import type { TableEntry } from '../table/table-info.ts'
import { useTables } from '../table/use-table.ts'
import { listen } from './event-stream.ts'
import { usePolling } from './use-polling.ts'

/** Several events in this time cause one refresh. */
const refreshMs = 500
const flashMs = 2_500

export interface TableEvents {
  /** Records that have just changed and are displayed with their new values. */
  readonly changed: ReadonlySet<string>
  /** Number of records created since the list was read; `apply` displays them. */
  readonly created: number
  readonly apply: () => void
  readonly isOffline: boolean
}

/**
 * Keeps a list up to date: changed rows are read again at once, new ones are only counted, so that no row moves under the pointer.
 *
 * @param isPaused defers reading while the user edits a row
 * @param isNew whether a created record may be one of the list; default: each of the table
 */
export function useTableEvents(
  table: string,
  isPaused: boolean,
  isNew: (change: Change) => boolean = () => true,
): TableEvents {
  const client = useQueryClient()
  const { user } = useSession()
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  const [created, setCreated] = useState<ReadonlySet<string>>(new Set())
  const { data: tables = [] } = useTables()
  const tablesRef = useRef(tables)
  tablesRef.current = tables
  const pausedRef = useRef(isPaused)
  const isNewRef = useRef(isNew)
  isNewRef.current = isNew
  const isMissed = useRef(false)
  useEffect(() => {
    pausedRef.current = isPaused
    if (isPaused || !isMissed.current) return
    isMissed.current = false
    readAgain(client, table)
  }, [client, table, isPaused])
  useEffect(() => {
    const waiting = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    let fade: ReturnType<typeof setTimeout> | undefined
    const refresh = (): void => {
      isMissed.current = pausedRef.current
      if (!pausedRef.current) readAgain(client, table)
    }
    const stop = listen([table], (event) => {
      if (event.kind === 'reset') {
        refresh()
        void client.invalidateQueries({ queryKey: ['total', table] })
      }
      if (event.kind !== 'change') return
      const { operation, sys_id, changed_by } = event.change
      if (!isKindOf(event.change.table, table, tablesRef.current)) return
      if (operation === 'create' && changed_by !== user.sys_id && isNewRef.current(event.change))
        setCreated((before) => new Set([...before, sys_id]))
      if (operation !== 'update') return
      waiting.add(sys_id)
      timer ??= setTimeout(() => {
        timer = undefined
        setChanged(new Set(waiting))
        waiting.clear()
        refresh()
        clearTimeout(fade)
        fade = setTimeout(() => setChanged(new Set()), flashMs)
      }, refreshMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
      clearTimeout(fade)
    }
  }, [client, table, user.sys_id])
  const isOffline = usePolling(() => {
    if (pausedRef.current) return
    readAgain(client, table)
    void client.invalidateQueries({ queryKey: ['total', table] })
  })
  const apply = (): void => {
    setCreated(new Set())
    for (const key of ['rows', 'total', 'groups']) void client.invalidateQueries({ queryKey: [key, table] })
  }
  return { changed, created: created.size, apply, isOffline }
}

/** The stream also has events of other lists, in this page and in others. */
export function isKindOf(name: string, ancestor: string, tables: readonly TableEntry[]): boolean {
  const parent = tables.find((each) => each.name === name)?.parent ?? null
  return name === ancestor || (parent !== null && isKindOf(parent, ancestor, tables))
}

function readAgain(client: QueryClient, table: string): void {
  for (const key of ['rows', 'groups']) void client.invalidateQueries({ queryKey: [key, table] })
}
