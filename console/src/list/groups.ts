import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Cell } from 'docket-client'
import { docket } from '../docket.ts'
import type { Group } from './equal-groups.ts'
import { printQuery, readQuery } from './list-query.ts'

/** Reads the counts first. The rows of a group are read when it opens. */
export const groupsQuery = (table: string, query: string, paths: readonly string[]) =>
  queryOptions({
    queryKey: ['groups', table, query, paths.join(',')],
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

/** @returns whether groups that are not displayed yet can be displayed: their counts, or why they cannot be read */
export function useFirstGroups(query: ReturnType<typeof groupsQuery>, isWanted: boolean): boolean {
  const { isPending, fetchStatus } = useQuery({ ...query, enabled: isWanted })
  return !isPending || (isWanted && fetchStatus === 'idle')
}

function withoutOrders(query: string): string {
  const read = readQuery(query)
  return read.ok ? printQuery({ ...read.query, orders: [] }) : query
}
