import { Link, useNavigate } from '@tanstack/react-router'
import { condition, printEncodedQuery } from 'docket-client'
import { useMemo, useRef, useState } from 'react'
import { useTableEvents } from '../live/use-table-events.ts'
import { t } from '../messages/i18n.ts'
import { usePathColumns } from '../table/field-path.ts'
import type { TableInfo } from '../table/table-info.ts'
import { holdKeys } from '../ui/held-keys.ts'
import { Icon } from '../ui/icon.tsx'
import { FilterBar } from './filter-bar.tsx'
import css from './list.module.css'
import { ListBody } from './list-body.tsx'
import { ListMenus } from './list-menus.tsx'
import { type FilterQuery, printQuery } from './list-query.ts'
import { type ListState, searchOf } from './list-state.ts'
import { pathsOf } from './paths-of-list.ts'
import { useListLook } from './use-list-look.ts'
import { useTotal } from './use-rows.ts'

interface EmbeddedListProps {
  readonly info: TableInfo
  /** Only records that refer to `sysId` in this column are in the list. */
  readonly column: string
  readonly sysId: string
}

/** What the user has made of the list. The address is that of the page around it. */
interface OwnState {
  readonly query: FilterQuery
  readonly columns: readonly string[] | undefined
  readonly group: readonly string[]
  readonly peek: string | undefined
}

const untouched: OwnState = { query: { terms: [], orders: [] }, columns: undefined, group: [], peek: undefined }

/** As the user left the lists, by table and record, so that "back" from one of their records finds them so. */
const left = new Map<string, OwnState>()

/** The list of a table within the page of a record: the records that refer to it. */
export function EmbeddedList({ info, column, sysId }: EmbeddedListProps) {
  const { name, may_create } = info.entry
  const key = `${name}?${column}=${sysId}`
  const [own, setOwn] = useState(left.get(key) ?? untouched)
  left.set(key, { ...own, peek: undefined })
  const change = (next: Partial<OwnState>): void => setOwn((before) => ({ ...before, ...next }))
  const fixed = useMemo(() => condition(column, '=', sysId), [column, sysId])
  const text = printQuery({ ...own.query, terms: [fixed, ...own.query.terms] })
  const state: ListState = { ...own, query: text, view: undefined, filter: undefined }
  /** By query text: a list that takes too long is left for the one that is displayed. */
  const earlier = useRef(new Map<string, OwnState>())
  earlier.current.set(text, own)
  const look = useListLook(name)
  // biome-ignore lint/correctness/useExhaustiveDependencies: nothing else of the state counts
  const paths = useMemo(
    () => pathsOf(state, look.columns, info).filter((path) => path !== column),
    [own.columns, look.columns, info, column],
  )
  const { columns, isPending } = usePathColumns(info, paths)
  const visibleColumns = useMemo(() => paths.flatMap((path) => columns.get(path) ?? []), [paths, columns])
  const total = useTotal(name, text)
  const [isEditing, setEditing] = useState(false)
  const live = useTableEvents(name, isEditing, ({ changes }) => changes[column]?.new_value === sysId)
  const navigate = useNavigate()
  const [part, setPart] = useState<HTMLElement | null>(null)
  const add = useRef<HTMLButtonElement>(null)
  const mayCreate = may_create && info.columns.get(column)?.isReadOnly === false
  const ofNew = {
    params: { table: name, sysId: 'new' },
    search: { set: printEncodedQuery({ where: fixed, orders: [] }) },
  }
  return (
    <div ref={setPart} data-list className={css.embedded}>
      <div className={css.embeddedHead}>
        <Link to="/t/$table" params={{ table: name }} search={searchOf(state)}>
          {t('list.asList')}
        </Link>
        {live.created > 0 && (
          <button type="button" className={css.fresh} onClick={live.apply}>
            {t('list.new', { count: live.created })}
          </button>
        )}
        <div className={css.actions}>
          <ListMenus
            info={info}
            group={own.group}
            query={text}
            columns={visibleColumns}
            paths={paths}
            mayStoreForAll={false}
            isOwn={look.columns !== undefined}
            onState={change}
            onStore={look.storeColumns}
          />
          {mayCreate && (
            <Link to="/t/$table/$sysId" {...ofNew} className={css.embeddedNew}>
              <Icon name="plus" /> <span>{t('list.create')}</span>
            </Link>
          )}
        </div>
      </div>
      <FilterBar
        info={info}
        query={own.query}
        fixed={fixed}
        onChange={(query) => change({ query })}
        onReplace={(query) => change({ query })}
        onText={undefined}
        addRef={add}
      />
      {part !== null && (
        <ListBody
          info={info}
          part={part}
          columns={visibleColumns}
          orders={own.query.orders}
          onOrders={(orders) => setOwn((before) => ({ ...before, query: { ...before.query, orders } }))}
          widths={look.widths}
          onWidth={look.storeWidth}
          changed={live.changed}
          onEditing={setEditing}
          state={state}
          query={own.query}
          isPending={isPending}
          total={total.isPlaceholderData ? null : (total.data ?? null)}
          onQuery={(query) => change({ query })}
          onPeek={(peek) => change({ peek: peek ?? undefined })}
          onFilter={() => add.current?.click()}
          onNew={() => {
            if (!mayCreate) return
            void navigate({ to: '/t/$table/$sysId', ...ofNew })
            holdKeys(() => history.back())
          }}
          onReturn={(before) => setOwn(earlier.current.get(before.query) ?? untouched)}
        />
      )}
    </div>
  )
}
