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

/**
 * Selected records by sys_id: a row that moves stays selected, and one that is deleted does not. Another list starts an empty selection, and "back"
 * finds the one that was left.
 */
export function useSelection(table: string, query: string): Selection {
  const list = `${table}?${query}`
  const entry = useHistoryEntry()
  const first = (): Selected => keptAt(entry())?.selected.get(list) ?? { list, sysIds: none, isAll: false }
  const [state, setState] = useState(first)
  let selected = state
  if (state.list !== list) {
    selected = first()
    setState(selected)
  }
  useKeepOnLeave((left) => {
    keepAt(left).selected.set(list, selected)
  })
  const { sysIds, isAll } = selected
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
        return { list, sysIds: next, isAll: false }
      }),
    [list],
  )
  const deleted = useCallback(
    (gone: ReadonlySet<string>): void =>
      setState((before) => ({ ...before, sysIds: new Set([...before.sysIds].filter((sysId) => !gone.has(sysId))) })),
    [],
  )
  useDeleted(table, deleted)
  return useMemo(() => {
    const has = (sysId: string): boolean => isAll || sysIds.has(sysId)
    return {
      sysIds,
      isAll,
      has,
      set,
      selectAll: () => setState({ list, sysIds, isAll: true }),
      clear: () => {
        setState({ list, sysIds: none, isAll: false })
        return sysIds.size > 0 || isAll
      },
      stateOf: (all) => {
        const selected = all.filter(has).length
        return selected === 0 ? false : selected === all.length ? true : null
      },
    }
  }, [list, sysIds, isAll, set])
}

/** Calls back with the sys_ids of records of the table that were deleted just now. */
function useDeleted(table: string, onDeleted: (sysIds: ReadonlySet<string>) => void): void {
  const { data: tables = [] } = useTables()
  const latest = useRef(tables)
  latest.current = tables
  useEffect(() => {
    let gone = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const report = (): void => {
      timer = undefined
      onDeleted(gone)
      gone = new Set()
    }
    const stop = listen([table], (event) => {
      if (event.kind !== 'change' || event.change.operation !== 'delete') return
      if (!isKindOf(event.change.table, table, latest.current)) return
      gone.add(event.change.sys_id)
      timer ??= setTimeout(report, refreshMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [table, onDeleted])
}
