import { useNavigate } from '@tanstack/react-router'
import { memo, Suspense, useDeferredValue, useState } from 'react'
import { holdKeys } from '../ui/held-keys.ts'
import { Loading } from '../ui/loading.tsx'
import { lazyDialog, lazyPart } from '../ui/part.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { EmptyList } from './empty-list.tsx'
import { Grid, type GridProps, LIST_BODY } from './grid.tsx'
import css from './list.module.css'
import type { FilterQuery } from './list-query.ts'
import type { ListState } from './list-state.ts'
import { useListKeys } from './use-list-keys.ts'
import { useSelection } from './use-selection.ts'

const GroupList = lazyPart(async () => (await import('./group-list.tsx')).GroupList)
const Peek = lazyPart(async () => (await import('./peek.tsx')).Peek)
const BulkDialog = lazyDialog(async () => (await import('./bulk-dialog.tsx')).BulkDialog)

interface ListBodyProps extends Omit<GridProps, 'queryText' | 'selection' | 'peeked' | 'empty'> {
  readonly state: ListState
  /** null: the text of the query has a fault, which its editor marks. */
  readonly query: FilterQuery | null
  readonly isPending: boolean
  readonly onQuery: (query: FilterQuery) => void
  readonly onFilter: () => void
}

export type BulkAction = 'update' | 'delete'

/** The rows follow in a rendering of their own, so that no click or key above them waits until they are rendered. */
export const ListBody = (props: ListBodyProps) => <Rows {...useDeferredValue(props)} />

/** Rows, what is selected of them, and what is done with it. Selecting a row renders this, not the menus and filters above. */
const Rows = memo(function Rows({ state, query, isPending, onQuery, onFilter, ...rows }: ListBodyProps) {
  const { info, total, onPeek } = rows
  const { name, may_create, may_write } = info.entry
  const { query: text, peek = null } = state
  const navigate = useNavigate()
  const selection = useSelection(text)
  const [bulk, setBulk] = useState<BulkAction | null>(null)
  useListKeys({
    onFilter,
    onNew: () => {
      if (!may_create) return
      void navigate({ to: '/t/$table/$sysId', params: { table: name, sysId: 'new' } })
      // What is typed until the form is there goes into its first field.
      holdKeys(() => history.back())
    },
    onBulk: () => may_write && (selection.sysIds.size > 0 || selection.isAll) && setBulk('update'),
  })
  const closePeek = (): void => {
    const row = document.querySelector<HTMLElement>(`.${css.peeked}`)
    onPeek(null)
    row?.focus()
  }
  const grid = { ...rows, selection, peeked: peek }
  return (
    <>
      <BulkBar info={info} selection={selection} query={text} total={total} fields={rows.columns} onBulk={setBulk} />
      {/* Keeps the focus while the rows that had it are replaced. */}
      <div id={LIST_BODY} tabIndex={-1} className={css.body}>
        {query === null ? null : isPending ? (
          <Loading lines={12} />
        ) : state.group.length > 0 ? (
          <Suspense fallback={<Loading lines={8} />}>
            <GroupList {...grid} query={text} group={state.group} />
          </Suspense>
        ) : (
          <Grid
            {...grid}
            queryText={text}
            empty={<EmptyList info={info} query={query} onQuery={onQuery} createsIn={may_create ? name : null} />}
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
    </>
  )
})
