import { Link } from '@tanstack/react-router'
import { condition, printEncodedQuery } from 'docket-client'
import { useMemo, useRef, useState } from 'react'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Icon } from '../ui/icon.tsx'
import { FilterBar } from './filter-bar.tsx'
import { FreshRows } from './fresh-rows.tsx'
import css from './list.module.css'
import { ListBody } from './list-body.tsx'
import { ListMenus } from './list-menus.tsx'
import { type ChangeQuery, type FilterQuery, printQuery, readQuery } from './list-query.ts'
import { type ListState, searchOf } from './list-state.ts'
import { newRecordOf } from './new-record.ts'
import { useList } from './use-list.ts'

interface EmbeddedListProps {
  readonly info: TableInfo
  /** Only records that refer to `sysId` in this column are in the list. */
  readonly column: string
  readonly sysId: string
}

/** What the user has made of the list. The address is that of the page around it. */
interface OwnState extends Omit<ListState, 'query'> {
  readonly query: FilterQuery
}

const untouched: OwnState = {
  query: { terms: [], orders: [] },
  columns: undefined,
  view: undefined,
  group: [],
  peek: undefined,
  filter: undefined,
}

/** As the user left the lists, by table and record, so that "back" from one of their records finds them so. */
const left = new Map<string, OwnState>()

/** The list of a table within the page of a record: the records that refer to it. */
export function EmbeddedList({ info, column, sysId }: EmbeddedListProps) {
  const { name, may_create } = info.entry
  const key = `${name}?${column}=${sysId}`
  const [own, setOwn] = useState(left.get(key) ?? untouched)
  left.set(key, { ...own, peek: undefined })
  const change = (next: Partial<OwnState>): void => setOwn((before) => ({ ...before, ...next }))
  const changeQuery = (next: ChangeQuery): void => setOwn((before) => ({ ...before, query: next(before.query) }))
  const fixed = useMemo(() => condition(column, '=', sysId), [column, sysId])
  const text = printQuery({ ...own.query, terms: [fixed, ...own.query.terms] })
  const state: ListState = { ...own, query: text }
  const list = useList(info, state, column)
  const [part, setPart] = useState<HTMLElement | null>(null)
  const add = useRef<HTMLButtonElement>(null)
  const mayCreate = may_create && info.columns.get(column)?.isReadOnly === false
  const newRecord = mayCreate ? newRecordOf(name, printEncodedQuery({ where: fixed, orders: [] })) : null
  return (
    <div ref={setPart} data-list className={css.embedded}>
      <div className={css.embeddedHead}>
        <Link to="/t/$table" params={{ table: name }} search={searchOf(state)}>
          {t('list.asList')}
        </Link>
        <FreshRows {...list.live} />
        <div className={css.actions}>
          <ListMenus {...{ info, state, list }} mayStoreForAll={false} onChange={change} />
          {newRecord !== null && (
            <Link {...newRecord} className={css.embeddedNew}>
              <Icon name="plus" /> <span>{t('list.create')}</span>
            </Link>
          )}
        </div>
      </div>
      <FilterBar
        info={info}
        query={own.query}
        fixed={fixed}
        onChange={changeQuery}
        onReplace={(query) => change({ query })}
        onText={undefined}
        addRef={add}
      />
      {part !== null && (
        <ListBody
          {...list.body}
          part={part}
          query={own.query}
          newRecord={newRecord}
          orders={own.query.orders}
          onOrders={(orders) => changeQuery((query) => ({ ...query, orders }))}
          onQuery={changeQuery}
          onPeek={(peek) => change({ peek: peek ?? undefined })}
          onFilter={() => add.current?.click()}
          onReturn={(before) => {
            const read = readQuery(before.query)
            // The first condition is that of the page.
            if (read.ok) setOwn({ ...before, query: { ...read.query, terms: read.query.terms.slice(1) } })
          }}
        />
      )}
    </div>
  )
}
