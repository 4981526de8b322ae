import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { memo, Suspense, useDeferredValue, useId, useMemo, useRef, useState } from 'react'
import { withMessages } from '../messages/i18n.ts'
import { holdKeys } from '../ui/held-keys.ts'
import { Loading } from '../ui/loading.tsx'
import { lazyDialog, lazyPart } from '../ui/part.tsx'
import { Grid, type GridProps } from './grid.tsx'
import { groupsQuery, useFirstGroups } from './groups.ts'
import css from './list.module.css'
import type { ChangeQuery, FilterQuery } from './list-query.ts'
import type { ListState } from './list-state.ts'
import type { NewRecord } from './new-record.ts'
import { useHeld } from './use-held.ts'
import { useListKeys } from './use-list-keys.ts'
import { useFirstRows } from './use-rows.ts'
import { useSelection } from './use-selection.ts'

const GroupList = lazyPart(async () => (await import('./group-list.tsx')).GroupList)
const BulkBar = lazyPart(async () => (await withMessages(import('./bulk-bar.tsx'), 'dialogs')).BulkBar)
const EmptyList = lazyPart(async () => (await import('./empty-list.tsx')).EmptyList)
const Peek = lazyPart(async () => (await import('./peek.tsx')).Peek)
const BulkDialog = lazyDialog(async () => (await withMessages(import('./bulk-dialog.tsx'), 'dialogs')).BulkDialog)

interface ListBodyProps
  extends Omit<GridProps, 'queryText' | 'bodyId' | 'selection' | 'peeked' | 'empty' | 'isStale' | 'onCancel'> {
  readonly state: ListState
  /** The part of another page that the list is in; null: it is the page. */
  readonly part?: HTMLElement | null | undefined
  /** null: the text of the query has a fault, which its editor marks. */
  readonly query: FilterQuery | null
  readonly isPending: boolean
  readonly onQuery: (change: ChangeQuery) => void
  readonly onFilter: () => void
  /** null: the user may not create one. */
  readonly newRecord: NewRecord | null
  /** Returns to the list that is displayed: what was wanted instead takes too long. */
  readonly onReturn: (state: ListState) => void
}

export type BulkAction = 'update' | 'delete'

/** The rows follow in a rendering of their own, so that no click or key above them waits until they are rendered. */
export const ListBody = (props: ListBodyProps) => <Rows {...useDeferredValue(props)} />

/** Rows, what is selected of them, and what is done with it. Selecting a row renders this, not the menus and filters above. */
const Rows = memo(function Rows(props: ListBodyProps) {
  const { state, part = null, query, isPending, onQuery, onFilter, newRecord, onReturn, ...rows } = props
  const { info, total, onPeek } = rows
  const { name, may_write } = info.entry
  const { query: text, peek = null } = state
  const navigate = useNavigate()
  const selection = useSelection(name, text)
  const hasSelected = selection.sysIds.size > 0 || selection.isAll
  const body = useRef<HTMLDivElement>(null)
  const partId = useId()
  const bodyId = part === null ? 'list-body' : partId
  const [bulk, setBulk] = useState<BulkAction | null>(null)
  useListKeys(
    {
      onFilter,
      onNew: () => {
        if (newRecord === null) return
        void navigate(newRecord)
        // What is typed until the form is there goes into its first field.
        holdKeys(() => history.back())
      },
      onBulk: () => may_write && hasSelected && setBulk('update'),
      onWords: () => (part ?? document).querySelector<HTMLElement>('[data-words]')?.focus(),
    },
    part,
  )
  const closePeek = (): void => {
    const row = body.current?.querySelector<HTMLElement>(`.${css.peeked}`)
    onPeek(null)
    row?.focus()
  }
  const { displayed, isStale, isFirst } = useDisplayed(props)
  const client = useQueryClient()
  const cancel = (): void => {
    for (const key of ['rows', 'groups']) void client.cancelQueries({ queryKey: [key, name, text] })
    onReturn({ ...displayed.state, peek: state.peek })
  }
  const { columns } = displayed
  const grid = {
    ...{ ...rows, bodyId, columns, total: displayed.total, selection, peeked: peek, isStale, onCancel: cancel },
    empty: query && <EmptyList info={info} query={query} onQuery={onQuery} newRecord={newRecord} />,
  }
  return (
    <>
      {hasSelected && (
        <Suspense>
          <BulkBar
            info={info}
            selection={selection}
            query={text}
            total={total}
            fields={rows.columns}
            onBulk={setBulk}
          />
        </Suspense>
      )}
      {/* Keeps the focus while the rows that had it are replaced. */}
      <div ref={body} id={bodyId} data-rows tabIndex={-1} className={css.body}>
        {query === null ? null : isPending && isFirst ? (
          <Loading lines={12} />
        ) : (
          <Suspense fallback={<Loading lines={8} />}>
            {displayed.state.group.length > 0 ? (
              <GroupList {...grid} query={displayed.state.query} group={displayed.state.group} />
            ) : (
              <Grid {...grid} queryText={displayed.state.query} />
            )}
          </Suspense>
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
    </>
  )
})

/** What is in the body: the list of the address, or the one before until the rows or groups of that list are read. */
function useDisplayed({ info, state, query, columns, total, isPending }: ListBodyProps) {
  const { name } = info.entry
  const paths = columns.map(({ path }) => path)
  const key = JSON.stringify([state.query, state.group, paths])
  const wanted = useMemo(() => ({ key, state, columns, total }), [key, state, columns, total])
  const isGrouped = state.group.length > 0
  const { isNew, hold } = useHeld<typeof wanted>(key)
  const isWanted = isNew && !isPending && query !== null
  const hasRows = useFirstRows({ table: name, query: state.query, fields: paths }, isWanted && !isGrouped)
  const hasGroups = useFirstGroups(groupsQuery(name, state.query, state.group), isWanted && isGrouped)
  const held = hold(wanted, isWanted && (isGrouped ? hasGroups : hasRows))
  // Groups are a script of its own: until it is there, the list before stays.
  const displayed = useDeferredValue(held.displayed)
  return { displayed, isStale: displayed.key !== key, isFirst: held.isFirst }
}
