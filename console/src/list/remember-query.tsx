import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useIsStaff, useSession } from '../app.tsx'
import { changePreference } from '../change-preference.ts'
import { conditionsOf, extendsQuery, maxRecent, recentName, recentOf } from './recent-queries.ts'
import { useSavedFilters } from './saved-filters.ts'

export interface UsedQuery {
  readonly text: string
}

export interface RememberQueryProps {
  readonly table: string
  /** The query that the user has just chosen; another object each time. */
  readonly used: UsedQuery
}

/**
 * Remembers the conditions that the user chooses. Conditions that are added one after the other are one query: the last of them replaces
 * those before, unless these were remembered already.
 */
export function RememberQuery({ table, used }: RememberQueryProps) {
  const client = useQueryClient()
  const { user } = useSession()
  const { data: filters = [] } = useSavedFilters(user.sys_id, useIsStaff())
  const saved = filters.flatMap((filter) => (filter.table === table ? (conditionsOf(filter.query) ?? []) : []))
  const latest = useRef(saved)
  latest.current = saved
  const added = useRef<string | null>(null)
  useEffect(() => {
    const query = conditionsOf(used.text)
    if (query === null || latest.current.includes(query)) {
      added.current = null
      return
    }
    const replaced = added.current !== null && extendsQuery(query, added.current) ? added.current : null
    const add = (stored: unknown) => {
      const before = recentOf(stored)
      added.current = before.includes(query) ? null : query
      if (before[0] === query) return undefined
      return { queries: [query, ...before.filter((each) => each !== query && each !== replaced)].slice(0, maxRecent) }
    }
    // The list works without the latest queries, so an error while they are stored is not displayed.
    changePreference({ client, user: user.sys_id, name: recentName(table) }, add).catch(() => undefined)
  }, [used, client, user.sys_id, table])
  return null
}
