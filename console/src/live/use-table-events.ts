import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { CellRow, Page } from 'docket-client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useSession } from '../app.tsx'
import type { TableEntry } from '../table/table-info.ts'
import { useTables } from '../table/use-table.ts'
import { listen } from './event-stream.ts'
import { useAreRowsHeld } from './held-rows.ts'
import { usePolling } from './use-polling.ts'

/** Several events in this time cause one refresh. */
const refreshMs = 500
const flashMs = 2_500

/** Max. sys_ids in one request. */
const maxNamed = 300

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
  const latest = useRef({ tables, isPaused, count })
  latest.current = { tables, isPaused, count }
  const refresh = useRef<() => void>(() => undefined)
  /** A refresh waits for the end of the pause. */
  const isMissed = useRef(false)
  /** How often the list was read again: what was created before is in it. */
  const reads = useRef(0)
  /** Created by others, and not counted yet. */
  const fresh = useRef<string[]>([])
  const outdate = useCallback(
    async (refetchType: 'active' | 'none'): Promise<void> => {
      reads.current += 1
      fresh.current = []
      setCreated(0)
      const keys = [
        ['rows', table],
        ['groups', table],
        // Of the displayed list alone: a page has many totals.
        ['total', table, query],
      ]
      const predicate = ({ queryKey }: Query): boolean => queryKey[3] === 'peek'
      void client.invalidateQueries({ queryKey: ['record', table], predicate, refetchType })
      await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey, refetchType })))
    },
    [client, table, query],
  )
  useEffect(() => {
    if (isPaused) isMissed.current = stopReading(client, table) || isMissed.current
    else if (isMissed.current) refresh.current()
    // The groups that the user has changed.
    else {
      const outdated = { queryKey: ['groups', table], type: 'active', predicate: isOutdated } as const
      void client.refetchQueries(outdated, { cancelRefetch: false })
    }
  }, [client, table, isPaused])
  useEffect(() => {
    let waiting = new Map<string, Set<string>>()
    let timer: ReturnType<typeof setTimeout> | undefined
    let fade: ReturnType<typeof setTimeout> | undefined
    const readAgain = async (): Promise<void> => {
      isMissed.current = latest.current.isPaused
      if (latest.current.isPaused) return
      const read = waiting
      waiting = new Map()
      await outdate('active')
      if (isOver || isMissed.current || read.size === 0) return
      setChanged(read)
      clearTimeout(fade)
      fade = setTimeout(() => setChanged(none), flashMs)
    }
    refresh.current = () => void readAgain()
    let isCounting = false
    let isOver = false
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
    const stop = listen([table], (event) => {
      if (event.kind === 'reset') void readAgain()
      if (event.kind !== 'change') return
      const { operation, sys_id, changed_by, changes } = event.change
      if (!isKindOf(event.change.table, table, latest.current.tables)) return
      if (operation === 'create') {
        if (changed_by === user.sys_id) return
        fresh.current.push(sys_id)
        if (!isCounting) void countFresh()
        return
      }
      if (operation === 'update')
        waiting.set(sys_id, new Set([...(waiting.get(sys_id) ?? []), ...Object.keys(changes)]))
      timer ??= setTimeout(() => {
        timer = undefined
        void readAgain()
      }, refreshMs)
    })
    return () => {
      stop()
      isOver = true
      isMissed.current = false
      clearTimeout(timer)
      clearTimeout(fade)
      setChanged(none)
      // From now on, nobody follows what happens to these rows.
      void outdate('none')
    }
  }, [client, table, query, user.sys_id, outdate])
  const isOffline = usePolling(() => {
    if (!isPaused) void outdate('active')
  })
  const apply = (): void => {
    void outdate('active')
    void client.invalidateQueries({ queryKey: ['total', table] })
  }
  return { changed, created, apply, isOffline }
}

/** The stream also has events of other lists, in this page and in others. */
export function isKindOf(name: string, ancestor: string, tables: readonly TableEntry[]): boolean {
  const parent = tables.find((each) => each.name === name)?.parent ?? null
  return name === ancestor || (parent !== null && isKindOf(parent, ancestor, tables))
}

const isOutdated = ({ state }: Query): boolean => state.isInvalidated

/** Gives up what is being read again. @returns whether anything was */
function stopReading(client: QueryClient, table: string): boolean {
  const isRunning = ({ state }: Query): boolean => state.fetchStatus === 'fetching' && state.data !== undefined
  const running = ['rows', 'groups'].flatMap((key) =>
    client.getQueryCache().findAll({ queryKey: [key, table], predicate: isRunning }),
  )
  for (const { queryKey } of running) void client.cancelQueries({ queryKey, exact: true })
  return running.length > 0
}

/** sys_ids of the rows of a list, of which some may still be on their way. */
async function idsIn(client: QueryClient, queryKey: readonly string[]): Promise<ReadonlySet<unknown>> {
  const active = client.getQueryCache().findAll({ queryKey, type: 'active' })
  await Promise.allSettled(active.filter(({ state }) => state.fetchStatus === 'fetching').map((query) => query.fetch()))
  const pages = active.map(({ state }) => state.data as Page<CellRow> | undefined)
  return new Set(pages.flatMap((page) => page?.rows.map((row) => row['sys_id']?.value) ?? []))
}
