import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { isTyping } from '../frame/shortcuts.tsx'
import { useTableEvents } from '../live/use-table-events.ts'
import { t } from '../messages/i18n.ts'
import { usePathColumns } from '../table/field-path.ts'
import { listColumns, type TableInfo } from '../table/table-info.ts'
import { useTable } from '../table/use-table.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { ErrorPage, Loading } from '../ui/states.tsx'
import { ColumnChooser } from './column-chooser.tsx'
import { FilterBar } from './filter-bar.tsx'
import { type FilterQuery, printQuery, readQuery } from './filter-terms.ts'
import { Grid } from './grid.tsx'
import css from './list.module.css'
import { Peek } from './peek.tsx'
import { QueryText } from './query-text.tsx'
import { useTotal } from './use-rows.ts'

export function ListPage() {
  const { table } = useParams({ from: '/t/$table' })
  const { data: info, error, refetch } = useTable(table)
  if (error !== null) return <ErrorPage error={error} onRetry={() => void refetch()} />
  if (info === undefined) return <Loading lines={10} />
  return <List key={table} info={info} />
}

function List({ info }: { readonly info: TableInfo }) {
  const { q: text = '', cols, peek } = useSearch({ from: '/t/$table' })
  const navigate = useNavigate({ from: '/t/$table' })
  const { name, title, may_create } = info.entry
  const read = useMemo(() => readQuery(text), [text])
  const paths = useMemo(() => (cols === undefined ? listColumns(info) : cols.split(',')), [cols, info])
  const { columns, isPending } = usePathColumns(info, paths)
  const total = useTotal(name, text)
  const [isTextMode, setTextMode] = useState(false)
  const live = useTableEvents(info.chain, name)
  const setQuery = (query: string): void =>
    void navigate({ search: (before) => ({ ...before, q: query }), replace: false })
  const setTerms = (query: FilterQuery): void => setQuery(printQuery(query))
  const filterRef = useRef<HTMLButtonElement>(null)
  useListKeys({
    onFilter: () => filterRef.current?.click(),
    onNew: () => may_create && void navigate({ to: '/t/$table/$sysId', params: { table: name, sysId: 'new' } }),
  })
  useEffect(() => {
    document.title = `${title} · Docket`
  }, [title])
  const showsText = isTextMode || !read.ok
  return (
    <div className={css.page}>
      <header className={css.head}>
        <div className={css.title}>
          <h1>{title}</h1>
          <span className={css.total} role="status">
            {total.data === undefined
              ? ''
              : t(total.data.isOver ? 'list.over' : 'list.total', { count: total.data.count })}
          </span>
          {live.created > 0 && (
            <button type="button" className={css.fresh} onClick={live.apply}>
              {t('list.new', { count: live.created })}
            </button>
          )}
          {live.isOffline && <span className={css.offline}>{t('live.offline')}</span>}
        </div>
        <div className={css.actions}>
          <ColumnChooser
            info={info}
            chosen={paths}
            onChange={(next) => void navigate({ search: (before) => ({ ...before, cols: next?.join(',') }) })}
          />
          {may_create && (
            <Link to="/t/$table/$sysId" params={{ table: name, sysId: 'new' }} className={css.newLink}>
              <Icon name="plus" /> <span>{t('list.create')}</span>
            </Link>
          )}
        </div>
      </header>
      {showsText ? (
        <QueryText text={text} onChange={setQuery} onClose={read.ok ? () => setTextMode(false) : undefined} />
      ) : (
        <FilterBar
          info={info}
          query={read.query}
          onChange={setTerms}
          onText={() => setTextMode(true)}
          addRef={filterRef}
        />
      )}
      <div className={css.body}>
        {isPending ? (
          <Loading lines={12} />
        ) : (
          <Grid
            info={info}
            columns={paths.flatMap((path) => columns.get(path) ?? [])}
            queryText={text}
            orders={read.ok ? read.query.orders : []}
            onOrders={(orders) => read.ok && setTerms({ ...read.query, orders })}
            total={total.data ?? null}
            changed={live.changed}
            peeked={peek ?? null}
            onPeek={(sysId) =>
              void navigate({ search: (before) => ({ ...before, peek: sysId ?? undefined }), replace: true })
            }
            empty={
              <EmptyList
                hasTerms={read.ok && read.query.terms.length > 0}
                onClear={() => setTerms({ terms: [], orders: read.ok ? read.query.orders : [] })}
                createsIn={may_create ? name : null}
              />
            }
          />
        )}
        {peek !== undefined && (
          <Peek
            info={info}
            sysId={peek}
            onClose={() => void navigate({ search: (before) => ({ ...before, peek: undefined }), replace: true })}
          />
        )}
      </div>
    </div>
  )
}

interface ListKeys {
  readonly onFilter: () => void
  readonly onNew: () => void
}

function useListKeys(keys: ListKeys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.code === 'KeyF') latest.current.onFilter()
      else if (event.code === 'KeyN') latest.current.onNew()
      else if (event.key === '/') document.getElementById('list-words')?.focus()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

interface EmptyListProps {
  readonly hasTerms: boolean
  readonly onClear: () => void
  readonly createsIn: string | null
}

function EmptyList({ hasTerms, onClear, createsIn }: EmptyListProps) {
  if (hasTerms) {
    return (
      <>
        <p>{t('list.noMatch')}</p>
        <Button onClick={onClear}>{t('list.clearFilter')}</Button>
      </>
    )
  }
  if (createsIn === null) return <p>{t('list.nothing')}</p>
  return (
    <>
      <p>{t('list.empty')}</p>
      <Link to="/t/$table/$sysId" params={{ table: createsIn, sysId: 'new' }}>
        {t('list.create')}
      </Link>
    </>
  )
}
