import { type Query, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useSession } from '../app.tsx'
import type { TableEntry } from '../table/table-info.ts'
import { useTables } from '../table/use-table.ts'
import { listen } from './event-stream.ts'
import { usePolling } from './use-polling.ts'

/** Several events in this time cause one refresh. */
const refreshMs = 500
const flashMs = 2_500
const none: ReadonlySet<string> = new Set()

/** Max. sys_ids in one request. */
const maxNamed = 300

export interface WatchedList {
  readonly table: string
  /** Text of the encoded query. */
  readonly query: string
  /** Defers reading while the user edits a row. */
  readonly isPaused: boolean
  /** How many of these records belong to the list. */
  readonly count: (sysIds: readonly string[]) => Promise<number>
}

export interface TableEvents {
  /** Records that have just changed and are displayed with their new values. */
  readonly changed: ReadonlySet<string>
  /** Number of records of the list that others have created since it was read; `apply` displays them. */
  readonly created: number
  readonly apply: () => void
  readonly isOffline: boolean
}

/**
 * Keeps a list up to date. It is read again when one of its records is changed or deleted; new ones are only counted, so that no row moves
 * under the pointer.
 */
export function useTableEvents({ table, query, isPaused, count }: WatchedList): TableEvents {
  const client = useQueryClient()
  const { user } = useSession()
  const [changed, setChanged] = useState(none)
  const [created, setCreated] = useState(0)
  const { data: tables = [] } = useTables()
  const latest = useRef({ tables, isPaused, count })
  latest.current = { tables, isPaused, count }
  const isMissed = useRef(false)
  /** How often the list was read again: what was created before is in it. */
  const reads = useRef(0)
  const outdate = useCallback(
    (refetchType: 'active' | 'none'): void => {
      reads.current += 1
      setCreated(0)
      for (const key of [
        ['rows', table],
        ['groups', table],
        // Of the displayed list alone: a page has many totals.
        ['total', table, query],
      ])
        void client.invalidateQueries({ queryKey: key, refetchType })
      const predicate = ({ queryKey }: Query): boolean => queryKey[3] === 'peek'
      void client.invalidateQueries({ queryKey: ['record', table], predicate, refetchType })
    },
    [client, table, query],
  )
  useEffect(() => {
    if (isPaused || !isMissed.current) return
    isMissed.current = false
    outdate('active')
  }, [isPaused, outdate])
  useEffect(() => {
    const waiting = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    let fade: ReturnType<typeof setTimeout> | undefined
    const refresh = (): void => {
      isMissed.current = latest.current.isPaused
      if (!isMissed.current) outdate('active')
    }
    /** Created by others, and not counted yet. */
    const fresh: string[] = []
    let isCounting = false
    const countFresh = async (): Promise<void> => {
      isCounting = true
      while (fresh.length > 0) {
        const read = reads.current
        // If they cannot be counted, they are displayed when the list is read again.
        const more = await latest.current.count(fresh.splice(0, maxNamed)).catch(() => 0)
        if (read === reads.current) setCreated((before) => before + more)
      }
      isCounting = false
    }
    const stop = listen([table], (event) => {
      if (event.kind === 'reset') refresh()
      if (event.kind !== 'change') return
      const { operation, sys_id, changed_by } = event.change
      if (!isKindOf(event.change.table, table, latest.current.tables)) return
      if (operation === 'create') {
        if (changed_by === user.sys_id) return
        fresh.push(sys_id)
        if (!isCounting) void countFresh()
        return
      }
      if (operation === 'update') waiting.add(sys_id)
      timer ??= setTimeout(() => {
        timer = undefined
        setChanged(new Set(waiting))
        waiting.clear()
        refresh()
        clearTimeout(fade)
        fade = setTimeout(() => setChanged(none), flashMs)
      }, refreshMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
      clearTimeout(fade)
      setChanged(none)
      // From now on, nobody follows what happens to these rows.
      outdate('none')
    }
  }, [table, user.sys_id, outdate])
  const isOffline = usePolling(() => {
    if (!isPaused) outdate('active')
  })
  const apply = (): void => {
    outdate('active')
    void client.invalidateQueries({ queryKey: ['total', table] })
  }
  return { changed, created, apply, isOffline }
}

/** The stream also has events of other lists, in this page and in others. */
export function isKindOf(name: string, ancestor: string, tables: readonly TableEntry[]): boolean {
  const parent = tables.find((each) => each.name === name)?.parent ?? null
  return name === ancestor || (parent !== null && isKindOf(parent, ancestor, tables))
}
