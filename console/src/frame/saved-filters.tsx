import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ComponentType, useEffect, useState } from 'react'
import { useIsStaff, useSession } from '../app.tsx'
import { isTooLong } from '../list/list-state.ts'
import { type SavedFilter, searchOfFilter, useSavedFilters } from '../list/saved-filters.ts'
import { loadPart } from '../load-part.ts'
import { t } from '../messages/i18n.ts'
import { Icon } from '../ui/icon.tsx'
import { whenIdle } from '../ui/when-idle.ts'
import css from './frame.module.css'
import { LinkText, NavGroup } from './nav-group.tsx'

/** The saved filters. Their counts come after the page: nothing in it waits for them. */
export function SavedFilters() {
  const { data = [] } = useSavedFilters(useSession().user.sys_id, useIsStaff())
  const FilterCount = useFilterCount()
  if (data.length === 0) return null
  return (
    <NavGroup title={t('nav.filters')}>
      {data.map((filter) => (
        <li key={filter.sysId} className={css.counted}>
          <FilterLink filter={filter} />
          {FilterCount !== null && <FilterCount filter={filter} />}
        </li>
      ))}
    </NavGroup>
  )
}

/** A filter whose condition is too long for an address opens by its id. */
function FilterLink({ filter }: { readonly filter: SavedFilter }) {
  const search = searchOfFilter(filter)
  const content = (
    <>
      <Icon name="star" /> <LinkText text={filter.title} />
    </>
  )
  if (isTooLong(search)) {
    return (
      <Link to="/f/$filter" params={{ filter: filter.sysId }} className={css.link}>
        {content}
      </Link>
    )
  }
  return (
    <Link
      to="/t/$table"
      params={{ table: filter.table }}
      search={search}
      activeOptions={{ includeSearch: true }}
      className={css.link}
    >
      {content}
    </Link>
  )
}

const pauseMs = 500

/** Loaded when the page reads nothing and the browser has nothing to do. If it cannot be loaded, there are no counts. */
function useFilterCount(): ComponentType<{ readonly filter: SavedFilter }> | null {
  const client = useQueryClient()
  const [Loaded, setLoaded] = useState<ComponentType<{ readonly filter: SavedFilter }> | null>(null)
  useEffect(() => {
    const load = (): void =>
      void loadPart(() => import('./filter-count.tsx')).then(
        ({ FilterCount }) => setLoaded(() => FilterCount),
        () => undefined,
      )
    const timer = setInterval(() => {
      if (client.isFetching() > 0) return
      clearInterval(timer)
      whenIdle(load)
    }, pauseMs)
    return () => clearInterval(timer)
  }, [client])
  return Loaded
}
