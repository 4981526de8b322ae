import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Cell } from 'docket-client'
import { docket } from '../docket.ts'
import type { Group } from './equal-groups.ts'
import { printQuery, readQuery } from './list-query.ts'

interface StatsBody {
  readonly data: readonly { readonly group: Readonly<Record<string, Cell>>; readonly count: number }[]
}

export interface Groups {
  readonly groups: readonly Group[]
  /** How many there are: the server sends as many as a list has at most. */
  readonly total: number
}

/** Reads the counts first. The rows of a group are read when it opens. */
export const groupsQuery = (table: string, query: string, paths: readonly string[]) =>
  queryOptions({
    queryKey: ['groups', table, query, paths.join(',')],
    queryFn: async ({ signal }): Promise<Groups> => {
      const parameters = new URLSearchParams({
        sysparm_query: withoutOrders(query),
        sysparm_group_by: paths.join(','),
        sysparm_display_value: 'all',
        sysparm_exclude_reference_link: '1',
      })
      const path = `/rest/v1/stats/${encodeURIComponent(table)}?${parameters}`
      const response = await docket.send({ method: 'GET', path, signal })
      const { data } = (await response.json()) as StatsBody
      const empty: Cell = { value: null, display_value: null }
      const groups = data.map(({ group, count }) => ({ values: paths.map((each) => group[each] ?? empty), count }))
      return { groups, total: Number(response.headers.get('x-total-count') ?? groups.length) }
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
