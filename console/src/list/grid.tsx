import { useNavigate, useRouter } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { lazy, type ReactNode, Suspense, useEffect, useId, useRef, useState } from 'react'
import { useSession } from '../app.tsx'
import type { PathColumn } from '../table/field-path.ts'
import type { TableInfo } from '../table/table-info.ts'
import { classes } from '../ui/button.tsx'
import { Empty, ErrorBanner, Loading } from '../ui/states.tsx'
import { useRowHeight } from '../ui/use-look.ts'
import { isEditableInList } from './editable.ts'
import { GridHead, minWidthOf, type Orders, templateOf, type Widths } from './grid-head.tsx'
import { leaveList, places } from './left-list.ts'
import css from './list.module.css'
import { PartBar } from './part-bar.tsx'
import { idOf, Row } from './row.tsx'
import { useGrid } from './use-grid.ts'
import { useParts } from './use-parts.ts'
import { blockRows, maxRows, type Total, useRows } from './use-rows.ts'
import type { Selection } from './use-selection.ts'

const CellEditor = lazy(async () => ({ default: (await import('./cell-editor.tsx')).CellEditor }))

export interface GridProps {
  readonly info: TableInfo
  readonly columns: readonly PathColumn[]
  readonly queryText: string
  readonly orders: Orders
  readonly onOrders: (orders: Orders) => void
  readonly widths: Widths
  readonly onWidth: (path: string, px: number) => void
  readonly total: Total | null
  readonly selection: Selection
  /** sys_ids of records that have just changed. */
  readonly changed: ReadonlySet<string>
  readonly peeked: string | null
  readonly onPeek: (sysId: string | null) => void
  /** Rows keep their places while the user edits one. */
  readonly onEditing: (isEditing: boolean) => void
  readonly empty: ReactNode
}

const cardHeight = 92

export function Grid(props: GridProps) {
  const { info, columns, queryText, total, selection, peeked, onPeek, widths } = props
  const { name, may_write } = info.entry
  const { time_zone } = useSession()
  const navigate = useNavigate()
  const router = useRouter()
  const scroller = useRef<HTMLDivElement>(null)
  const gridId = useId()
  const key = `${name}?${queryText}`
  const firstRow = places.get(key)?.row ?? 0
  const isNarrow = useIsNarrow()
  const rowHeight = useRowHeight()
  const height = isNarrow ? cardHeight : rowHeight
  const [blocks, setBlocks] = useState<readonly number[]>(() => [Math.floor(firstRow / blockRows)])
  const fields = columns.map(({ path }) => path)
  const parts = useParts({ table: name, query: queryText, total })
  const { part } = parts
  const read = useRows({ table: name, query: queryText, fields, part }, blocks)
  const { rows, error, retry } = read
  const rowCount = part.kind === 'after' ? read.knownRows : Math.min(maxRows, total?.count ?? read.knownRows)
  const virtual = useVirtualizer({
    count: rowCount,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    // The bar of a long list covers its last rows.
    scrollPaddingEnd: parts.isLong ? 52 : 0,
    initialOffset: places.get(key)?.top ?? 0,
  })
  const items = virtual.getVirtualItems()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another row height changes all offsets
  useEffect(() => virtual.measure(), [virtual, height])
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => {
    const wanted = range(Math.floor(first / blockRows), Math.floor(last / blockRows))
    setBlocks((before) => (before.join() === wanted.join() ? before : wanted))
  }, [first, last])
  const sysIdAt = (index: number): string => idOf(rows.get(index))
  const columnAt = (at: number) => columns[at]
  const grid = useGrid({
    gridId,
    rowCount,
    columnCount: columns.length,
    firstRow,
    pageRows: Math.max(1, Math.floor((scroller.current?.clientHeight ?? 600) / height) - 2),
    sysIdAt,
    canEdit: (at) => {
      const found = columnAt(at)
      return may_write && found !== undefined && !found.path.includes('.') && isEditableInList(found.column)
    },
    virtual,
    open: (index) => {
      const sysId = sysIdAt(index)
      if (sysId === '') return
      const sysIds = new Map([...rows].map(([at, row]) => [at, idOf(row)]))
      const list = { table: name, key, href: router.history.location.href, sysIds, rowCount, rowHeight: height }
      leaveList(list, { row: index, top: scroller.current?.scrollTop ?? 0 })
      void navigate({ to: '/t/$table/$sysId', params: { table: name, sysId } })
    },
    peek: (index) => onPeek(index === null ? null : sysIdAt(index) || null),
    isPeeking: peeked !== null,
    select: selection.set,
    isSelected: selection.has,
    clearSelection: selection.clear,
    jump: (to) => {
      if (!parts.isLong || part.kind === (to === 'end' ? 'last' : 'first')) return false
      if (to === 'end') parts.toLast()
      else parts.toFirst()
      return true
    },
  })
  const { place, editing, actions, closeEditor } = grid
  const displayedPart = useRef(part)
  const edge = part.kind === 'last' ? rowCount - 1 : 0
  const isEdgeRead = rows.has(edge) && !read.isStale
  // When a part opens, its first or last row gets the focus.
  useEffect(() => {
    if (displayedPart.current === part) return
    if (!isEdgeRead) return virtual.scrollToIndex(edge)
    displayedPart.current = part
    actions.focus(edge, null)
  }, [part, isEdgeRead, edge, actions, virtual])
  // "Back" leads to the row that was left, also for the keyboard.
  const isReturn = useRef(places.has(key))
  const isPlaceRead = rows.has(firstRow)
  useEffect(() => {
    if (!isReturn.current || !isPlaceRead) return
    isReturn.current = false
    const { activeElement } = document
    if (activeElement === document.body || activeElement?.id === 'page') actions.focus(firstRow, null)
  }, [isPlaceRead, firstRow, actions])
  const readKey = useRef('')
  if (rows.size > 0) readKey.current = key
  const { onEditing } = props
  const isEditing = editing !== null
  useEffect(() => {
    onEditing(isEditing)
    return () => onEditing(false)
  }, [isEditing, onEditing])
  if (error !== null && rows.size === 0)
    return (
      <div className={css.message}>
        <ErrorBanner error={error} onRetry={retry} />
      </div>
    )
  // Rows that come into view are read into the grid, which keeps its scroll position and focus.
  if (read.isLoading && (readKey.current !== key || rowCount === 0))
    return <Loading lines={12} onCancel={read.cancel} />
  if (rowCount === 0) return <Empty>{props.empty}</Empty>
  const template = templateOf(columns, widths)
  const editedColumn = editing === null ? undefined : columnAt(editing.column)?.column
  return (
    <div ref={scroller} className={classes(css.scroller, read.isStale && css.stale)}>
      {error !== null && <ErrorBanner error={error} onRetry={retry} />}
      <div
        role="grid"
        aria-rowcount={rowCount + 1}
        aria-colcount={columns.length + 1}
        aria-multiselectable="true"
        aria-label={info.entry.title}
        className={css.grid}
        style={{ minWidth: isNarrow ? undefined : minWidthOf(columns, widths) }}
        onKeyDown={grid.onKeyDown}
      >
        <GridHead
          columns={columns}
          orders={props.orders}
          onOrders={props.onOrders}
          template={template}
          onWidth={props.onWidth}
          isAllSelected={selection.stateOf([...rows.values()].map(idOf))}
          onSelectAll={(isSelected) => selection.set([...rows.values()].map(idOf), isSelected)}
        />
        <div role="rowgroup" className={css.rows} style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const row = rows.get(index)
            const sysId = idOf(row)
            const isEdited = editing !== null && sysId === editing.sysId && editedColumn !== undefined
            return (
              <Row
                key={sysId || index}
                table={name}
                gridId={gridId}
                index={index}
                row={row}
                columns={columns}
                timeZone={time_zone}
                top={start}
                height={height}
                template={isNarrow ? undefined : template}
                focus={index === place.row ? place.column : undefined}
                isSelected={selection.has(sysId)}
                isPeeked={sysId !== '' && sysId === peeked}
                isChanged={props.changed.has(sysId)}
                opensAnywhere={isNarrow || !may_write}
                actions={actions}
                editor={
                  isEdited
                    ? {
                        column: editing.column,
                        element: (
                          <Suspense fallback={<span className={css.waiting} />}>
                            <CellEditor info={info} column={editedColumn} sysId={sysId} onClose={closeEditor} />
                          </Suspense>
                        ),
                      }
                    : null
                }
              />
            )
          })}
        </div>
      </div>
      {parts.isLong && <PartBar parts={parts} rowCount={rowCount} nextCursor={read.nextCursor} />}
    </div>
  )
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)

export function useIsNarrow(): boolean {
  const query = '(max-width: 640px)'
  const [isNarrow, setNarrow] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const media = matchMedia(query)
    const listen = (): void => setNarrow(media.matches)
    media.addEventListener('change', listen)
    return () => media.removeEventListener('change', listen)
  }, [])
  return isNarrow
}
