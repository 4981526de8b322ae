import { Link, useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useSeesColumns } from '../app.tsx'
import { useTableEvents } from '../live/use-table-events.ts'
import { t } from '../messages/i18n.ts'
import { isolated } from '../messages/isolate.ts'
import { usePreference } from '../preferences.ts'
import { usePathColumns } from '../table/field-path.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Icon } from '../ui/icon.tsx'
import { Loading } from '../ui/loading.tsx'
import { lazyDialog, lazyPart } from '../ui/part.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { ColumnChooser } from './column-chooser.tsx'
import { EmptyList } from './empty-list.tsx'
import { ExportMenu } from './export-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import { FilterMenu } from './filter-menu.tsx'
import { Grid, LIST_BODY } from './grid.tsx'
import { GroupMenu } from './group-menu.tsx'
import css from './list.module.css'
import { type FilterQuery, printQuery, readQuery } from './list-query.ts'
import type { ListState } from './list-state.ts'
import { pathsOf } from './paths-of-list.ts'
import { QueryText } from './query-text.tsx'
import type { ListLook } from './saved-filters.ts'
import { useListKeys } from './use-list-keys.ts'
import { useTotal } from './use-rows.ts'
import { useSelection } from './use-selection.ts'

const GroupList = lazyPart(async () => (await import('./group-list.tsx')).GroupList)
const Peek = lazyPart(async () => (await import('./peek.tsx')).Peek)
const BulkDialog = lazyDialog(async () => (await import('./bulk-dialog.tsx')).BulkDialog)

interface ListProps {
  readonly info: TableInfo
  readonly state: ListState
  /** `isStep`: the browser's "back" returns to the state before. */
  readonly onState: (state: ListState, isStep: boolean) => void
}

export type BulkAction = 'update' | 'delete'

export function List({ info, state, onState }: ListProps) {
  const navigate = useNavigate()
  const { name, title, may_create, may_write } = info.entry
  const { query: text, peek = null } = state
  const read = useMemo(() => readQuery(text), [text])
  const look = usePreference<ListLook>(`list.${name}`)
  // biome-ignore lint/correctness/useExhaustiveDependencies: nothing else of the state counts
  const paths = useMemo(() => pathsOf(state, look.value?.columns, info), [state.columns, look.value?.columns, info])
  const { columns, isPending } = usePathColumns(info, paths)
  const visibleColumns = useMemo(() => paths.flatMap((path) => columns.get(path) ?? []), [paths, columns])
  const total = useTotal(name, text)
  const [isEditing, setEditing] = useState(false)
  const seesColumns = useSeesColumns()
  const live = useTableEvents(name, isEditing)
  const selection = useSelection(text)
  const [isTextMode, setTextMode] = useState(false)
  const [bulk, setBulk] = useState<BulkAction | null>(null)
  const change = (next: Partial<ListState>): void => onState({ ...state, ...next }, true)
  const setTerms = (query: FilterQuery): void => change({ query: printQuery(query) })
  const setPeek = (sysId: string | null): void => onState({ ...state, peek: sysId ?? undefined }, false)
  const closePeek = (): void => {
    const row = document.querySelector<HTMLElement>(`.${css.peeked}`)
    setPeek(null)
    row?.focus()
  }
  const filterRef = useRef<HTMLButtonElement>(null)
  useListKeys({
    onFilter: () => filterRef.current?.click(),
    onNew: () => may_create && void navigate({ to: '/t/$table/$sysId', params: { table: name, sysId: 'new' } }),
    onBulk: () => may_write && (selection.sysIds.size > 0 || selection.isAll) && setBulk('update'),
  })
  useEffect(() => {
    document.title = `${isolated(title)} · Docket`
  }, [title])
  const grid = {
    info,
    columns: visibleColumns,
    orders: read.ok ? read.query.orders : [],
    onOrders: (orders: FilterQuery['orders']) => read.ok && setTerms({ ...read.query, orders }),
    widths: look.value?.widths ?? {},
    onWidth: (path: string, px: number) =>
      void look.set({ ...look.value, widths: { ...look.value?.widths, [path]: px } }),
    selection,
    changed: live.changed,
    peeked: peek,
    onPeek: setPeek,
    onEditing: setEditing,
  }
  return (
    <div className={css.page}>
      <header className={css.head}>
        <div className={css.title}>
          <h1>{title}</h1>
          <FilterMenu info={info} state={state} widths={grid.widths} onState={change} />
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
          {seesColumns && (
            <>
              <GroupMenu info={info} group={state.group} onChange={(group) => change({ group })} />
              <ColumnChooser
                info={info}
                chosen={paths}
                onChange={(next) => change({ columns: next })}
                onStore={(stored) => {
                  void look.set({ ...look.value, columns: stored })
                  change({ columns: undefined })
                }}
                isOwn={look.value?.columns !== undefined}
              />
            </>
          )}
          <ExportMenu table={name} query={text} fields={visibleColumns.map(({ path }) => path)} />
          {may_create && (
            <Link to="/t/$table/$sysId" params={{ table: name, sysId: 'new' }} className={css.newLink}>
              <Icon name="plus" /> <span>{t('list.create')}</span>
            </Link>
          )}
        </div>
      </header>
      {isTextMode || !read.ok ? (
        <QueryText
          text={text}
          onChange={(query) => change({ query })}
          onClose={read.ok ? () => setTextMode(false) : undefined}
        />
      ) : (
        <FilterBar
          info={info}
          query={read.query}
          onChange={setTerms}
          onText={seesColumns ? () => setTextMode(true) : undefined}
          addRef={filterRef}
        />
      )}
      <BulkBar
        info={info}
        selection={selection}
        query={text}
        total={total.data ?? null}
        fields={visibleColumns}
        onBulk={setBulk}
      />
      {/* Keeps the focus while the rows that had it are replaced. */}
      <div id={LIST_BODY} tabIndex={-1} className={css.body}>
        {/* The editor of the text marks the fault. */}
        {!read.ok ? null : isPending ? (
          <Loading lines={12} />
        ) : state.group.length > 0 ? (
          <Suspense fallback={<Loading lines={8} />}>
            <GroupList {...grid} query={text} group={state.group} />
          </Suspense>
        ) : (
          <Grid
            {...grid}
            queryText={text}
            total={total.data ?? null}
            empty={<EmptyList info={info} query={read.query} onQuery={setTerms} createsIn={may_create ? name : null} />}
          />
        )}
        {peek !== null && (
          <Suspense>
            <Peek info={info} sysId={peek} onClose={closePeek} />
          </Suspense>
        )}
      </div>
      {bulk !== null && (
        <Suspense>
          <BulkDialog info={info} action={bulk} selection={selection} query={text} onClose={() => setBulk(null)} />
        </Suspense>
      )}
    </div>
  )
}
