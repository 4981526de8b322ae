import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Cell, type ConditionTree, condition } from 'docket-client'
import { docket } from '../docket.ts'
import { printQuery, readQuery } from './filter-terms.ts'

export interface Group {
  /** Values of the grouped fields, in their order. */
  readonly values: readonly Cell[]
  readonly count: number
}

/** Counts come first; the rows of a group are read when it is opened. */
export const useGroups = (table: string, query: string, paths: readonly string[]) =>
  useQuery({
    queryKey: ['groups', table, query, paths.join(',')],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<readonly Group[]> => {
      const parameters = new URLSearchParams({
        sysparm_query: withoutOrders(query),
        sysparm_group_by: paths.join(','),
        sysparm_display_value: 'all',
        sysparm_exclude_reference_link: '1',
      })
      const found = await docket.request<
        readonly { readonly group: Readonly<Record<string, Cell>>; readonly count: number }[]
      >({ method: 'GET', path: `/rest/v1/stats/${encodeURIComponent(table)}?${parameters}`, signal })
      const empty: Cell = { value: null, display_value: null }
      return found.map(({ group, count }) => ({ values: paths.map((path) => group[path] ?? empty), count }))
    },
  })

function withoutOrders(query: string): string {
  const read = readQuery(query)
  return read.ok ? printQuery({ ...read.query, orders: [] }) : query
}

/** The query, and what the records of a group have in common. */
export function queryOfGroup(query: string, paths: readonly string[], values: readonly Cell[]): string {
  const read = readQuery(query)
  if (!read.ok) return query
  const terms = values.map((cell, at): ConditionTree => {
    const path = paths[at] ?? ''
    return cell.value === null || cell.value === ''
      ? condition(path, 'ISEMPTY')
      : condition(path, '=', String(cell.value))
  })
  return printQuery({ ...read.query, terms: [...read.query.terms, ...terms] })
}
