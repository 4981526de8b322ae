import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { listColumns, type RelatedList, type TableInfo } from '../table/table-info.ts'
import { useTable } from '../table/use-table.ts'
import { AsOf } from '../ui/as-of.tsx'
import { Loading } from '../ui/loading.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import { Value } from '../ui/value.tsx'
import css from './form.module.css'

const maxRows = 20
const maxColumns = 5

interface RelatedListsProps {
  readonly lists: readonly RelatedList[]
  readonly sysId: string
}

/** Records that refer to this one. Their counts are read first, their rows when the user opens a list. */
export function RelatedLists({ lists, sysId }: RelatedListsProps) {
  if (lists.length === 0) return null
  return (
    <section className={css.section} aria-label={t('related.title')}>
      <h2>{t('related.title')}</h2>
      {lists.map((list) => (
        <Related key={`${list.table} ${list.column}`} list={list} sysId={sysId} />
      ))}
    </section>
  )
}

function Related({ list, sysId }: { readonly list: RelatedList; readonly sysId: string }) {
  const [isOpen, setOpen] = useState(false)
  const query = `${list.column}=${sysId}`
  const { data: count } = useQuery({
    queryKey: ['total', list.table, query],
    queryFn: ({ signal }) => docket.table(list.table).count(query, { signal }),
  })
  return (
    <details className={css.related} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span>{list.title}</span>
        <span className={css.count}>{count ?? ''}</span>
      </summary>
      {isOpen && <RelatedRows list={list} query={query} count={count} />}
    </details>
  )
}

interface RelatedRowsProps {
  readonly list: RelatedList
  readonly query: string
  /** undefined: the count is not known, but the rows can be read. */
  readonly count: number | undefined
}

function RelatedRows({ list, query, count }: RelatedRowsProps) {
  const { data: info, error, refetch } = useTable(list.table)
  if (error !== null) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  if (info === undefined) return <Loading lines={2} />
  return (
    <div className={css.relatedBody}>
      {count !== 0 && <Rows info={info} query={query} without={list.column} />}
      <p className={css.relatedLinks}>
        <Link to="/t/$table" params={{ table: list.table }} search={{ q: query }}>
          {count !== undefined && count > maxRows ? t('related.all', { count }) : t('related.open')}
        </Link>
        {info.entry.may_create && info.columns.get(list.column)?.isReadOnly === false && (
          <Link to="/t/$table/$sysId" params={{ table: list.table, sysId: 'new' }} search={{ set: query }}>
            {t('list.create')}
          </Link>
        )}
      </p>
    </div>
  )
}

function Rows({
  info,
  query,
  without,
}: {
  readonly info: TableInfo
  readonly query: string
  readonly without: string
}) {
  const { time_zone } = useSession()
  const columns = listColumns(info)
    .flatMap((name) => info.columns.get(name) ?? [])
    .filter(({ name }) => name !== without)
    .slice(0, maxColumns)
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    queryKey: ['rows', info.entry.name, query, 'related'],
    queryFn: async ({ signal }) => {
      const fields = ['sys_id', ...columns.map(({ name }) => name)]
      // A page, as under all keys that begin with `rows`.
      return await docket.table(info.entry.name).page(query, { fields, display: 'all', limit: maxRows, signal })
    },
  })
  const retry = (): void => void refetch()
  if (error !== null && data === undefined) return <ErrorBanner error={error} onRetry={retry} />
  if (data === undefined) return <Loading lines={3} />
  const table = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard
    <div className={css.relatedTable} tabIndex={0} role="region" aria-label={info.entry.title}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, title }) => (
              <th key={name} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.rows.map((row) => {
            const sysId = String(row['sys_id']?.value)
            return (
              <tr key={sysId}>
                {columns.map((column, at) => (
                  <td key={column.name}>
                    {at === 0 ? (
                      <Link to="/t/$table/$sysId" params={{ table: info.entry.name, sysId }}>
                        {row[column.name]?.display_value ?? t('related.unnamed')}
                      </Link>
                    ) : (
                      <Value cell={row[column.name]} column={column} timeZone={time_zone} />
                    )}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
  if (error === null) return table
  return (
    <>
      <ErrorBanner error={error} onRetry={retry}>
        <AsOf readAtMs={dataUpdatedAt} />
      </ErrorBanner>
      {table}
    </>
  )
}
