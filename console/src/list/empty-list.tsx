import { Link } from '@tanstack/react-router'
import type { ConditionTree } from 'docket-client'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button, classes } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import ui from '../ui/ui.module.css'
import css from './list.module.css'
import { type ChangeQuery, type FilterQuery, replaceTerm } from './list-query.ts'
import type { NewRecord } from './new-record.ts'
import { useTermTitle } from './term-title.ts'

interface EmptyListProps {
  readonly info: TableInfo
  readonly query: FilterQuery
  readonly onQuery: (change: ChangeQuery) => void
  /** null: the user may not create one. */
  readonly newRecord: NewRecord | null
}

/** Explains why the list is empty: the filter, the rights, or no records yet. */
export function EmptyList({ info, query, onQuery, newRecord }: EmptyListProps) {
  if (query.terms.length > 0) {
    return (
      <>
        <p>{t('list.noMatch')}</p>
        <div className={css.emptyTerms}>
          {query.terms.map((term, at) => (
            <RemoveTerm
              // biome-ignore lint/suspicious/noArrayIndexKey: two terms may be equal
              key={at}
              info={info}
              term={term}
              onRemove={() => onQuery((now) => replaceTerm(now, term))}
            />
          ))}
        </div>
        <Button onClick={() => onQuery((now) => ({ ...now, terms: [] }))}>{t('list.clearFilter')}</Button>
      </>
    )
  }
  if (newRecord === null) return <p>{t('list.nothing')}</p>
  return (
    <>
      <p>{t('list.empty')}</p>
      <Link {...newRecord} className={classes(ui.button, ui.primary)}>
        {t('list.create')}
      </Link>
    </>
  )
}

interface RemoveTermProps {
  readonly info: TableInfo
  readonly term: ConditionTree
  readonly onRemove: () => void
}

function RemoveTerm({ info, term, onRemove }: RemoveTermProps) {
  const title = useTermTitle(info, term)
  return (
    <button type="button" className={css.emptyTerm} onClick={onRemove} aria-label={t('list.without', { title })}>
      {title} <Icon name="close" size={12} />
    </button>
  )
}
