import { useQueryClient } from '@tanstack/react-query'
import { all } from 'docket-client'
import { useEffect, useState } from 'react'
import { useIsStaff, useSession } from '../app.tsx'
import { changePreference } from '../change-preference.ts'
import { t } from '../messages/i18n.ts'
import { usePreference } from '../preferences.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button, classes } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import css from './list.module.css'
import { type FilterQuery, readQuery } from './list-query.ts'
import { conditionsOf, recentName, recentOf } from './recent-queries.ts'
import { useSavedFilters } from './saved-filters.ts'
import { useTermWords } from './term-title.ts'

interface RecentMenuProps {
  readonly info: TableInfo
  readonly onPick: (terms: FilterQuery['terms']) => void
  readonly onClose: () => void
}

/** The conditions that the user chose last. Those of saved filters are in the menu of the page. */
export function RecentMenu({ info, onPick, onClose }: RecentMenuProps) {
  const { name: table } = info.entry
  const client = useQueryClient()
  const { user } = useSession()
  const { data: filters = [] } = useSavedFilters(user.sys_id, useIsStaff())
  const { value } = usePreference(recentName(table))
  const [error, setError] = useState<unknown>(null)
  const saved = new Set(filters.flatMap((filter) => (filter.table === table ? (conditionsOf(filter.query) ?? []) : [])))
  const queries = recentOf(value).filter((query) => !saved.has(query))
  const store = async (change: (queries: readonly string[]) => readonly string[] | undefined): Promise<void> => {
    try {
      await changePreference({ client, user: user.sys_id, name: recentName(table) }, (stored) => {
        const next = change(recentOf(stored))
        return next && { queries: next }
      })
      setError(null)
    } catch (problem) {
      setError(problem)
    }
  }
  // What other tabs have remembered since. Without it, the menu has what this page knows.
  useEffect(() => {
    changePreference({ client, user: user.sys_id, name: recentName(table) }, () => undefined).catch(() => undefined)
  }, [client, user.sys_id, table])
  const clear = async (): Promise<void> => {
    await store(() => [])
    onClose()
  }
  return (
    <>
      {error !== null && <ErrorBanner error={error} />}
      {queries.length === 0 && <p className={ui.item}>{t('recent.none')}</p>}
      <ul aria-label={t('filter.recent')}>
        {queries.map((query, at) => (
          <RecentQuery
            key={query}
            info={info}
            query={query}
            isFirst={at === 0}
            onPick={onPick}
            onRemove={() => void store((stored) => stored.filter((each) => each !== query))}
          />
        ))}
      </ul>
      {queries.length > 0 && (
        <Button look="quiet" onClick={() => void clear()}>
          <Icon name="trash" size={14} /> {t('recent.clear')}
        </Button>
      )}
    </>
  )
}

interface RecentQueryProps extends Pick<RecentMenuProps, 'info' | 'onPick'> {
  readonly query: string
  /** Has the focus when the menu opens. */
  readonly isFirst: boolean
  readonly onRemove: () => void
}

/** A query that cannot be read any more, because a column is gone or closed for the user, is displayed as text and can only be removed. */
function RecentQuery({ info, query, isFirst, onPick, onRemove }: RecentQueryProps) {
  const read = readQuery(query)
  const [first, ...others] = read.ok ? read.query.terms : []
  const words = useTermWords(info, first === undefined ? null : all(first, ...others))
  const title = words.isReadable ? words.title : query
  return (
    <li className={css.columnRow}>
      {words.isReadable && read.ok ? (
        <button type="button" className={css.recent} autoFocus={isFirst} onClick={() => onPick(read.query.terms)}>
          {title}
        </button>
      ) : (
        <span className={classes(css.recent, css.mono)} title={t('recent.unreadable')}>
          {query}
        </span>
      )}
      <button type="button" aria-label={t('recent.remove', { title })} onClick={onRemove}>
        <Icon name="close" size={14} />
      </button>
    </li>
  )
}
