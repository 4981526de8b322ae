import { useNavigate, useRouter } from '@tanstack/react-router'
import { InvalidValue } from 'docket-client'
import {
  type ReactNode,
  Suspense,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useSession } from '../app.tsx'
import type { ChangedCells } from '../live/use-table-events.ts'
import { t, withMessages } from '../messages/i18n.ts'
import type { PathColumn } from '../table/field-path.ts'
import type { TableInfo } from '../table/table-info.ts'
import { AsOf } from '../ui/as-of.tsx'
import { Empty, Loading, StillWorking } from '../ui/loading.tsx'
import { lazyDialog, lazyPart } from '../ui/part.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import { useRowHeight } from '../ui/use-look.ts'
import { useMedia } from '../ui/use-media.ts'
import { isEditableInList } from './editable.ts'
import { GridHead, minWidthOf, type Orders, templateOf, type Widths } from './grid-head.tsx'
import { GridRows } from './grid-rows.tsx'
import { keepAt, keptAt, useHistoryEntry, useKeepOnLeave } from './kept-list.ts'
import { leaveList, places } from './left-list.ts'
import css from './list.module.css'
import { FaultPlace } from './query-fault.tsx'
import { idOf, type RowContext } from './row.tsx'
import { type RowRange, RowWindow } from './row-window.ts'
import { type Place, useGrid } from './use-grid.ts'
import { usePastedBlock } from './use-pasted-block.ts'
import { blockAt, isLongList, type Part, type Total, useRows, withoutTieBreak } from './use-rows.ts'
import type { Selection } from './use-selection.ts'

const PartBar = lazyPart(async () => (await import('./part-bar.tsx')).PartBar)
const ShiftedBar = lazyPart(async () => (await import('./part-bar.tsx')).ShiftedBar)
const CellEditor = lazyDialog(async () => (await import('./cell-editor.tsx')).CellEditor)

const PasteDialog = lazyDialog(async () => (await withMessages(import('./paste-dialog.tsx'), 'dialogs')).PasteDialog)

export interface GridProps {
  readonly info: TableInfo
  readonly columns: readonly PathColumn[]
  /** Id of the element around the rows, which keeps the focus while these are replaced. */
  readonly bodyId: string
  readonly queryText: string
  readonly orders: Orders
  readonly onOrders: (orders: Orders) => void
  readonly widths: Widths
  readonly onWidth: (path: string, px: number) => void
  readonly total: Total | null
  readonly selection: Selection
  readonly changed: ChangedCells
  readonly peeked: string | null
  readonly onPeek: (sysId: string | null) => void
  readonly empty: ReactNode
  /** Another list is being read, which takes the place of this one: until then nothing can be done with its rows. */
  readonly isStale: boolean
  /** Ends the reading of the other list. */
  readonly onCancel?: (() => void) | undefined
}

/** What may have the focus when the rows are read that were left. On a narrow screen, the open navigation is over the page. */
const KEEPS_FOCUS = '#page, [role=dialog], [role=menu], header:has([aria-expanded=true]) ~ nav'

const cardHeight = 92
const barHeight = 52

export function Grid(props: GridProps) {
  const { info, columns, queryText, total, selection, peeked, onPeek, widths, isStale } = props
  const { name, may_write } = info.entry
  const { time_zone } = useSession()
  const navigate = useNavigate()
  const router = useRouter()
  const entry = useHistoryEntry()
  const gridId = useId()
  const key = `${name}?${queryText}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: where this list was left, when it is displayed
  const left = useMemo(() => keptAt(entry())?.places.get(key), [key])
  const firstRow = left?.row ?? places.get(key)?.row ?? 0
  const [place, setPlace] = useState<Place>({ row: firstRow, column: null })
  const firstPart = left?.part ?? places.get(key)?.part ?? 'first'
  const [part, setPart] = useState<Part>(firstPart)
  const [placeKey, setPlaceKey] = useState(key)
  if (placeKey !== key) {
    setPlaceKey(key)
    setPart(firstPart)
    setPlace({ row: firstRow, column: null })
  }
  const window = useMemo(() => new RowWindow(left?.top ?? places.get(key)?.top ?? 0), [key, left])
  /** Something was to be done with rows that are about to be replaced. */
  const [isRejected, setRejected] = useState(false)
  if (isRejected && !isStale) setRejected(false)
  // Rows are cards on a narrow screen.
  const isNarrow = useMedia('(max-width: 640px)')
  const rowHeight = useRowHeight()
  const height = isNarrow ? cardHeight : rowHeight
  const blocks = useBlocks(window, place.row, part)
  const fields = columns.map(({ path }) => path)
  const isLong = isLongList(total)
  const read = useRows({ table: name, query: queryText, fields, part }, blocks, total)
  const { rows, error, retry } = read
  // What was displayed when the list was left is reached before the total is known.
  const atLeast = total === null && part === 'first' ? (left?.rowCount ?? 0) : 0
  const rowCount = read.known === null ? (total?.count ?? 0) : Math.max(read.known, atLeast)
  const end = read.endAt(rowCount)
  const origin = end - rowCount
  // Bars stand over the last rows.
  const bars = Number(isLong) + Number(read.isShifted)
  window.setModel({ origin, end, height, paddingEnd: bars * barHeight })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows before the first one move those in view
  useLayoutEffect(window.settle, [window, origin])
  const sysIdAt = (index: number): string => idOf(rows.get(index))
  const columnAt = (at: number) => columns[at]
  /** The row whose record was opened. */
  const opened = useRef<number | null>(null)
  const hadFocus = useRef(false)
  /** The row that is displayed beside the list as soon as it is read. */
  const pendingPeek = useRef<number | null>(null)
  useEffect(() => {
    const sysId = pendingPeek.current === null ? '' : sysIdAt(pendingPeek.current)
    if (sysId === '' && peeked !== null) return
    pendingPeek.current = null
    if (sysId !== '' && peeked !== null) onPeek(sysId)
  })
  useKeepOnLeave((at) => {
    const row = opened.current ?? place.row
    const hasFocus = opened.current !== null || (hadFocus.current && window.isInView(row))
    keepAt(at).places.set(key, { row, top: window.scrollTop(), hasFocus, rowCount, part })
  })
  const grid = useGrid({
    gridId,
    list: key,
    origin,
    end,
    columnCount: columns.length,
    place,
    setPlace,
    sysIdAt,
    knownIdAt: read.knownIdAt,
    readIds: read.readIds,
    canEdit: (at) => {
      const found = columnAt(at)
      return may_write && found !== undefined && !found.path.includes('.') && isEditableInList(found.column)
    },
    window,
    open: (index) => {
      const sysId = sysIdAt(index)
      if (sysId === '') return
      const sysIds = new Map([...rows].map(([at, row]) => [at, idOf(row)]))
      const from = { href: router.history.location.href, entry: entry() }
      leaveList(
        {
          table: name,
          key,
          ...from,
          sysIds,
          origin,
          rowCount: read.isWhole ? rowCount : null,
          rowHeight: height,
        },
        { row: index, top: window.scrollTop(), part },
      )
      opened.current = index
      void navigate({ to: '/t/$table/$sysId', params: { table: name, sysId } })
    },
    isStale,
    onRejected: () => setRejected(true),
    peek: (index) => {
      const sysId = index === null ? null : sysIdAt(index)
      pendingPeek.current = sysId === '' ? index : null
      if (sysId !== '') onPeek(sysId)
    },
    isPeeking: peeked !== null,
    select: selection.set,
    isSelected: selection.has,
    clearSelection: selection.clear,
    jump: (to) => {
      const other = to === 'end' ? 'last' : 'first'
      if (!isLong || part === other || (part === 'first' && read.isWhole)) return false
      setPart(other)
      return true
    },
  })
  const { editing, actions, moveTo, closeEditor, dropEditor, leaveEditor } = grid
  const toPart = (to: Part): void => {
    if (to === part) actions.focus(to === 'last' ? end - 1 : origin, null)
    else setPart(to)
  }
  const readAgain = (): void => {
    // The button goes away with the report; the focus stays with the rows that are in view.
    actions.focus(origin + Math.ceil(window.scrollTop() / height), null)
    read.readAgain()
  }
  const displayedPart = useRef(part)
  const edge = part === 'last' ? end - 1 : 0
  const isEdgeRead = rows.has(edge)
  // When a part opens, its first or last row gets the focus.
  useEffect(() => {
    if (displayedPart.current === part) return
    if (!isEdgeRead) {
      // Also when another row, which takes the focus of one that is gone, has scrolled the list away: this one is read first.
      if (place.row !== edge) setPlace({ row: edge, column: null })
      return window.scrollToIndex(edge)
    }
    displayedPart.current = part
    moveTo(edge, null)
  }, [part, isEdgeRead, edge, place.row, moveTo, window])
  // "Back" leads to the row that was left, also for the keyboard. Rows that replace others take the focus that those had.
  const isReturn = useRef(left?.hasFocus ?? places.has(key))
  const isPlaceRead = rows.has(firstRow)
  useEffect(() => {
    if (!isPlaceRead) return
    const { activeElement } = document
    // What led to the other page has no use here, such as a link of the navigation. What was opened meanwhile keeps the focus.
    const isOnPage = activeElement?.id === 'page' || activeElement?.closest(KEEPS_FOCUS) === null
    if (activeElement?.id === props.bodyId || (isReturn.current && isOnPage)) moveTo(firstRow, null)
    isReturn.current = false
  }, [isPlaceRead, firstRow, moveTo, props.bodyId])
  const readKey = useRef('')
  if (rows.size > 0) readKey.current = key
  // Nothing else closes a cell whose row is gone.
  const isCellGone = editing !== null && rows.size > 0 && rows.values().every((row) => idOf(row) !== editing.sysId)
  useEffect(() => {
    if (isCellGone) dropEditor()
  }, [isCellGone, dropEditor])
  const isPasteClosed = editing !== null || isStale || !may_write
  const [pasted, closePasted] = usePastedBlock({ gridId, ...place, rows, columns, isClosed: isPasteClosed })
  const template = templateOf(columns, widths)
  const context: RowContext = useMemo(
    () => ({
      table: name,
      gridId,
      columns,
      timeZone: time_zone,
      height,
      origin,
      isCounted: part === 'first' || read.isWhole,
      template: isNarrow ? undefined : template,
      opensAnywhere: isNarrow || !may_write,
      isStale,
      actions,
    }),
    [
      name,
      gridId,
      columns,
      time_zone,
      height,
      origin,
      part,
      read.isWhole,
      isNarrow,
      template,
      may_write,
      isStale,
      actions,
    ],
  )
  const editor = useMemo(() => {
    const column = editing === null ? undefined : columns[editing.column]?.column
    if (editing === null || column === undefined) return null
    const { sysId } = editing
    const element = (
      <Suspense fallback={<span className={css.waiting} />}>
        <CellEditor info={info} column={column} sysId={sysId} onClose={closeEditor} leave={leaveEditor} />
      </Suspense>
    )
    return { sysId, column: editing.column, element }
  }, [editing, columns, info, closeEditor, leaveEditor])
  if (isStale && (rows.size === 0 || rowCount === 0)) return <Loading lines={12} onCancel={props.onCancel} />
  if (error !== null && rows.size === 0)
    return (
      <div className={css.message}>
        <ErrorBanner error={error} onRetry={retry}>
          {error instanceof InvalidValue && error.position !== null && (
            <FaultPlace text={withoutTieBreak(queryText)} position={error.position} />
          )}
        </ErrorBanner>
      </div>
    )
  // Rows that come into view are read into the grid, which keeps its scroll position and focus.
  if (read.isLoading && (readKey.current !== key || rowCount === 0))
    return <Loading lines={12} onCancel={read.cancel} />
  if (rowCount === 0) return <Empty>{props.empty}</Empty>
  return (
    <div ref={window.attach} className={css.scroller}>
      {error !== null && (
        <ErrorBanner error={error} onRetry={retry}>
          <AsOf readAtMs={read.readAtMs} />
        </ErrorBanner>
      )}
      {isStale && (
        <div role="status" className={css.slow}>
          {isRejected && <p>{t('list.refused')}</p>}
          <StillWorking onCancel={props.onCancel} />
        </div>
      )}
      <div
        role="grid"
        aria-rowcount={read.isWhole ? rowCount + 1 : -1}
        aria-multiselectable="true"
        aria-busy={isStale || undefined}
        aria-label={info.entry.title}
        className={css.grid}
        style={{ minWidth: isNarrow ? undefined : minWidthOf(columns, widths) }}
        onKeyDown={grid.onKeyDown}
        onFocus={(event) => {
          hadFocus.current = true
          grid.onFocus(event)
        }}
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
        <GridRows
          window={window}
          end={end}
          rows={rows}
          context={context}
          focusRow={Math.max(origin, Math.min(place.row, end - 1))}
          focusColumn={place.column}
          selection={selection}
          changed={props.changed}
          peeked={peeked}
          editor={editor}
        />
      </div>
      <div className={css.bars}>
        <div role="status">
          {read.isShifted && (
            <Suspense>
              <ShiftedBar onReadAgain={readAgain} />
            </Suspense>
          )}
        </div>
        {isLong && (
          <Suspense>
            <PartBar
              part={part}
              reached={read.reached}
              isWhole={read.isWhole}
              onPart={toPart}
              // The row that has the focus is read.
              onMore={() => actions.focus(read.nextRow ?? end - 1, null)}
            />
          </Suspense>
        )}
      </div>
      {pasted !== null && (
        <Suspense>
          <PasteDialog info={info} paste={pasted} onClose={closePasted} />
        </Suspense>
      )}
    </div>
  )
}

/** Rows are read in blocks, before they come into view. */
const rowsAhead = 30

/** Blocks of the rendered rows and of those beside them. The row with the focus is one of them. Rendered again only when they change. */
function useBlocks(window: RowWindow, focusRow: number, part: Part): readonly number[] {
  const focused = blockAt(part, focusRow)
  const blockOf = (row: number | null): number => (row === null ? focused : blockAt(part, row))
  const getStart = (): number => blockOf(startOf(window.current()))
  const getEnd = (): number => blockOf(endOf(window.current()))
  const start = useSyncExternalStore(window.subscribe, getStart, getStart)
  const end = useSyncExternalStore(window.subscribe, getEnd, getEnd)
  return useMemo(() => {
    const [first, last] = [Math.min(start, end), Math.max(start, end)]
    const near = Array.from({ length: last - first + 1 }, (_, at) => first + at)
    return near.includes(focused) ? near : [focused, ...near]
  }, [start, end, focused])
}

const startOf = ({ first, last }: RowRange): number | null => (last < first ? null : first - rowsAhead)
const endOf = ({ first, last }: RowRange): number | null => (last < first ? null : last + rowsAhead)
