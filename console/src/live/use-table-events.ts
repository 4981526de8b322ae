import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { CellRow, Page } from 'docket-client'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useSession } from '../app.tsx'
import type { TableEntry } from '../table/table-info.ts'
import { useTables } from '../table/use-table.ts'
import { listen } from './event-stream.ts'
import { useAreRowsHeld } from './held-rows.ts'
import { type RefreshedList, refreshOf } from './table-refresh.ts'
import { usePolling } from './use-polling.ts'

const flashMs = 2_500

/** Max. sys_ids in one request. */
export const maxNamed = 300

export interface WatchedList {
  readonly table: string
  /** Text of the encoded query. */
  readonly query: string
  /** How many of these records belong to the list. */
  readonly count: (sysIds: readonly string[]) => Promise<number>
}

/** Columns by sys_id of records that have just changed and are displayed with their new values. */
export type ChangedCells = ReadonlyMap<string, ReadonlySet<string>>

const none: ChangedCells = new Map()

export interface TableEvents {
  readonly changed: ChangedCells
  /** Number of records of the list that others have created since it was read; `apply` displays them. */
  readonly created: number
  readonly apply: () => void
  readonly isOffline: boolean
}

/**
 * Keeps a list up to date. It is read again when one of its records is changed or deleted; new ones are only counted, so that no row moves
 * under the pointer.
 */
export function useTableEvents({ table, query, count }: WatchedList): TableEvents {
  const client = useQueryClient()
  const { user } = useSession()
  const [changed, setChanged] = useState(none)
  const [created, setCreated] = useState(0)
  const { data: tables = [] } = useTables()
  const isPaused = useAreRowsHeld(table)
  const refresh = refreshOf(client, table)
  const latest = useRef({ tables, count })
  latest.current = { tables, count }
  /** How often the list was read again: what was created before is in it. */
  const reads = useRef(0)
  /** Created by others, and not counted yet. */
  const fresh = useRef<string[]>([])
  /** Columns by sys_id of records that were changed since it began to be read. */
  const waiting = useRef(new Map<string, Set<string>>())
  const fade = useRef<ReturnType<typeof setTimeout>>(undefined)
  const list = useMemo((): RefreshedList => {
    const flash = (read: ChangedCells): void => {
      if (read.size === 0) return
      setChanged(read)
      clearTimeout(fade.current)
      fade.current = setTimeout(() => setChanged(none), flashMs)
    }
    const begin = (): (() => void) => {
      reads.current += 1
      fresh.current = []
      setCreated(0)
      const read = waiting.current
      waiting.current = new Map()
      return () => flash(read)
    }
    return { query, begin }
  }, [query])
  useEffect(() => {
    if (isPaused) refresh.pause()
    else refresh.resume()
  }, [refresh, isPaused])
  useEffect(() => {
    let isCounting = false
    const countFresh = async (): Promise<void> => {
      isCounting = true
      while (fresh.current.length > 0) {
        const read = reads.current
        const ids = fresh.current.splice(0, maxNamed)
        // Events can be older than the rows: the stream goes on where it was when other tables were in view.
        const displayed = await idsIn(client, ['rows', table, query])
        const others = ids.filter((sysId) => !displayed.has(sysId))
        // If they cannot be counted, they are displayed when the list is read again.
        const more = others.length === 0 ? 0 : await latest.current.count(others).catch(() => 0)
        if (read === reads.current) setCreated((before) => before + more)
      }
      isCounting = false
    }
    refresh.join(list)
    const stop = listen([table], (event) => {
      if (event.kind === 'reset') refresh.now(list)
      if (event.kind !== 'change') return
      const { operation, sys_id, changed_by, changes } = event.change
      if (!isKindOf(event.change.table, table, latest.current.tables)) return
      if (operation === 'create') {
        if (changed_by === user.sys_id) return
        fresh.current.push(sys_id)
        if (!isCounting) void countFresh()
        return
      }
      if (operation === 'update') {
        const columns = waiting.current.get(sys_id) ?? []
        waiting.current.set(sys_id, new Set([...columns, ...Object.keys(changes)]))
      }
      refresh.soon(list)
    })
    return () => {
      stop()
      refresh.leave(list)
      reads.current += 1
      fresh.current = []
      waiting.current = new Map()
      clearTimeout(fade.current)
      setChanged(none)
      setCreated(0)
    }
  }, [client, table, query, user.sys_id, refresh, list])
  const isOffline = usePolling(() => refresh.poll())
  const apply = (): void => {
    refresh.now(list)
    void client.invalidateQueries({ queryKey: ['total', table] })
  }
  return { changed, created, apply, isOffline }
}

/** The stream also has events of other lists, in this page and in others. */
export function isKindOf(name: string, ancestor: string, tables: readonly TableEntry[]): boolean {
  const parent = tables.find((each) => each.name === name)?.parent ?? null
  return name === ancestor || (parent !== null && isKindOf(parent, ancestor, tables))
}

/** sys_ids of the rows of a list, of which some may still be on their way. */
async function idsIn(client: QueryClient, queryKey: readonly string[]): Promise<ReadonlySet<unknown>> {
  const active = client.getQueryCache().findAll({ queryKey, type: 'active' })
  await Promise.allSettled(active.filter(({ state }) => state.fetchStatus === 'fetching').map((query) => query.fetch()))
  const pages = active.map(({ state }) => state.data as Page<CellRow> | undefined)
  return new Set(pages.flatMap((page) => page?.rows.map((row) => row['sys_id']?.value) ?? []))
}
