import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { listen } from '../live/event-stream.ts'
import { refreshMs } from '../live/table-refresh.ts'
import { isKindOf } from '../live/use-table-events.ts'
import { useTables } from '../table/use-table.ts'
import { keepAt, keptAt, type Selected, useHistoryEntry, useKeepOnLeave } from './kept-list.ts'

export interface Selection {
  readonly sysIds: ReadonlySet<string>
  /** All matching records, including those that were not read. */
  readonly isAll: boolean
  readonly has: (sysId: string) => boolean
  readonly set: (sysIds: readonly string[], isSelected: boolean) => void
  readonly selectAll: () => void
  /** @returns whether anything was selected */
  readonly clear: () => boolean
  /** null: some of the records. */
  readonly stateOf: (sysIds: readonly string[]) => boolean | null
}

const none: ReadonlySet<string> = new Set()

interface State extends Selected {
  /** Of the list before: who returns to it at once finds it again. */
  readonly before: Selected | null
}

/**
 * Selected records by sys_id: a row that moves stays selected, and one that is deleted does not. Another list starts an empty selection; "back", and
 * the list before, have the one that was left.
 */
export function useSelection(table: string, query: string): Selection {
  const list = `${table}?${query}`
  const entry = useHistoryEntry()
  const first = (before: Selected | null): Selected =>
    keptAt(entry())?.selected.get(list) ?? (before?.list === list ? before : { list, sysIds: none, isAll: false })
  const [state, setState] = useState((): State => ({ ...first(null), before: null }))
  let selected: Selected = state
  if (state.list !== list) {
    const { before, ...left } = state
    selected = first(before)
    setState({ ...selected, before: left })
  }
  const { sysIds, isAll } = selected
  useKeepOnLeave((left) => {
    keepAt(left).selected.set(list, { list, sysIds, isAll })
  })
  const set = useCallback(
    (changed: readonly string[], isSelected: boolean): void =>
      setState((before) => {
        // The rows of a range can arrive after the list was left.
        if (before.list !== list) return before
        const next = new Set(before.sysIds)
        for (const sysId of changed) {
          if (sysId === '') continue
          if (isSelected) next.add(sysId)
          else next.delete(sysId)
        }
        return { ...before, sysIds: next, isAll: false }
      }),
    [list],
  )
  const remove = useCallback((gone: ReadonlySet<string>): void => {
    const without = (ids: ReadonlySet<string>) => new Set([...ids].filter((sysId) => !gone.has(sysId)))
    if (gone.size > 0) setState((before) => ({ ...before, sysIds: without(before.sysIds) }))
  }, [])
  useDeleted(table, list, sysIds, remove)
  return useMemo(() => {
    const has = (sysId: string): boolean => isAll || sysIds.has(sysId)
    return {
      sysIds,
      isAll,
      has,
      set,
      selectAll: () => setState((before) => ({ ...before, isAll: true })),
      clear: () => {
        // What is cleared at the end of an action may have been left meanwhile.
        setState((before) => (before.list === list ? { ...before, sysIds: none, isAll: false } : before))
        return sysIds.size > 0 || isAll
      },
      stateOf: (all) => {
        const selected = all.filter(has).length
        return selected === 0 ? false : selected === all.length ? true : null
      },
    }
  }, [list, sysIds, isAll, set])
}

/** Calls back with the sys_ids of selected records that are deleted, or were deleted while the page did not follow the table. */
function useDeleted(
  table: string,
  list: string,
  selected: ReadonlySet<string>,
  onDeleted: (sysIds: ReadonlySet<string>) => void,
): void {
  const { data: tables = [] } = useTables()
  const latest = useRef({ tables, selected })
  latest.current = { tables, selected }
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is kept of each list is looked up
  useEffect(() => {
    let gone = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const report = (): void => {
      timer = undefined
      onDeleted(gone)
      gone = new Set()
    }
    const lookUp = async (): Promise<void> => {
      if (latest.current.selected.size === 0) return
      const { missingOf } = await import('./missing-records.ts')
      onDeleted(await missingOf(table, latest.current.selected))
    }
    const stop = listen([table], (event) => {
      if (event.kind === 'reset') lookUp().catch(() => undefined)
      if (event.kind !== 'change' || event.change.operation !== 'delete') return
      if (!isKindOf(event.change.table, table, latest.current.tables)) return
      gone.add(event.change.sys_id)
      timer ??= setTimeout(report, refreshMs)
    })
    lookUp().catch(() => undefined)
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [table, list, onDeleted])
}
