import { condition } from 'docket-client'
import { useMemo } from 'react'
import { useTableEvents } from '../live/use-table-events.ts'
import { usePathColumns } from '../table/field-path.ts'
import type { TableInfo } from '../table/table-info.ts'
import { printQuery, readQuery } from './list-query.ts'
import type { ListState } from './list-state.ts'
import { pathsOf } from './paths-of-list.ts'
import { useListLook } from './use-list-look.ts'
import { readTotal, useTotal } from './use-rows.ts'

/**
 * What a list needs, whether it is a page or in the page of a record: its columns, its total, and what others change in it.
 *
 * @param hidden a column that is the same in all its records
 */
export function useList(info: TableInfo, state: ListState, hidden?: string) {
  const { name } = info.entry
  const { query } = state
  const look = useListLook(name)
  // biome-ignore lint/correctness/useExhaustiveDependencies: nothing else of the state counts
  const paths = useMemo(
    () => pathsOf(state, look.columns, info).filter((path) => path !== hidden),
    [state.columns, state.view, look.columns, info, hidden],
  )
  const { columns, isPending } = usePathColumns(info, paths)
  const visibleColumns = useMemo(() => paths.flatMap((path) => columns.get(path) ?? []), [paths, columns])
  const total = useTotal(name, query)
  const count = async (sysIds: readonly string[]): Promise<number> => {
    const read = readQuery(query)
    if (!read.ok) return 0
    const terms = [...read.query.terms, condition('sys_id', 'IN', sysIds.join(','))]
    return (await readTotal(name, printQuery({ terms, orders: [] }))).count
  }
  const live = useTableEvents({ table: name, query, count })
  return {
    look,
    paths,
    live,
    /** As it was read last, perhaps of the query before. */
    total,
    /** What `ListBody` needs of it. */
    body: {
      info,
      state,
      columns: visibleColumns,
      isPending,
      widths: look.widths,
      onWidth: look.storeWidth,
      changed: live.changed,
      total: total.isPlaceholderData ? null : (total.data ?? null),
    },
  }
}
