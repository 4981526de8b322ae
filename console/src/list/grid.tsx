import { useNavigate } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import type { CellRow, EncodedQuery } from 'docket-client'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useSession } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import type { PathColumn } from '../table/field-path.ts'
import type { TableInfo } from '../table/table-info.ts'
import { classes } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty, ErrorBanner, Loading } from '../ui/states.tsx'
import { rowHeight } from '../ui/theme.ts'
import { Value } from '../ui/value.tsx'
import css from './list.module.css'
import { blockRows, maxRows, type Total, useRows } from './use-rows.ts'

interface GridProps {
  readonly info: TableInfo
  readonly columns: readonly PathColumn[]
  readonly queryText: string
  readonly orders: EncodedQuery['orders']
  readonly onOrders: (orders: EncodedQuery['orders']) => void
  readonly total: Total | null
  /** sys_ids of records that have just changed. */
  readonly changed: ReadonlySet<string>
  readonly peeked: string | null
  readonly onPeek: (sysId: string | null) => void
  readonly empty: ReactNode
}

/** Where the list was left, by its address: back leads to the same row. */
const places = new Map<string, { readonly row: number; readonly top: number }>()

export function Grid({ info, columns, queryText, orders, onOrders, total, changed, peeked, onPeek, empty }: GridProps) {
  const { time_zone } = useSession()
  const navigate = useNavigate()
  const scroller = useRef<HTMLDivElement>(null)
  const key = `${info.entry.name}?${queryText}`
  const [active, setActive] = useState(() => places.get(key)?.row ?? 0)
  const isNarrow = useIsNarrow()
  const height = isNarrow ? 92 : rowHeight()
  const [blocks, setBlocks] = useState<readonly number[]>(() => [Math.floor((places.get(key)?.row ?? 0) / blockRows)])
  const fields = columns.map(({ path }) => path)
  const { rows, isLoading, isStale, error, retry, knownRows } = useRows(
    { table: info.entry.name, query: queryText, fields },
    blocks,
  )
  const count = Math.min(maxRows, total?.count ?? knownRows)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    initialOffset: places.get(key)?.top ?? 0,
  })
  const items = virtual.getVirtualItems()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height makes all places new
  useEffect(() => virtual.measure(), [virtual, height])
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => {
    const wanted = range(Math.floor(first / blockRows), Math.floor(last / blockRows))
    setBlocks((before) => (before.join() === wanted.join() ? before : wanted))
  }, [first, last])
  const remember = (row: number): void => void places.set(key, { row, top: scroller.current?.scrollTop ?? 0 })
  const idOf = (row: CellRow | undefined): string => String(row?.['sys_id']?.value ?? '')
  const open = (at: number): void => {
    const sysId = idOf(rows.get(at))
    if (sysId === '') return
    remember(at)
    void navigate({ to: '/t/$table/$sysId', params: { table: info.entry.name, sysId } })
  }
  const move = (to: number): void => {
    const next = Math.max(0, Math.min(count - 1, to))
    setActive(next)
    virtual.scrollToIndex(next)
    if (peeked !== null && rows.has(next)) onPeek(idOf(rows.get(next)))
    requestAnimationFrame(() => document.getElementById(`row-${next}`)?.focus({ preventScroll: true }))
  }
  const pageRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 600) / height) - 2)
  const onKeyDown = (event: KeyboardEvent): void => {
    const isPeeked = peeked === idOf(rows.get(active))
    const moves = new Map([
      ['ArrowDown', () => move(active + 1)],
      ['ArrowUp', () => move(active - 1)],
      ['PageDown', () => move(active + pageRows)],
      ['PageUp', () => move(active - pageRows)],
      ['Home', () => move(0)],
      ['End', () => move(count - 1)],
      ['Enter', () => open(active)],
      [' ', () => onPeek(isPeeked ? null : idOf(rows.get(active)))],
      ['Escape', () => onPeek(null)],
    ])
    const act = moves.get(event.key)
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    act()
  }
  if (error !== null && rows.size === 0)
    return (
      <div className={css.message}>
        <ErrorBanner error={error} onRetry={retry} />
      </div>
    )
  if (isLoading) return <Loading lines={12} />
  if (count === 0) return <Empty>{empty}</Empty>
  const template = columns.map(({ column }, at) => widthOf(column.name, column.type, at)).join(' ')
  return (
    <div ref={scroller} className={classes(css.scroller, isStale && css.stale)}>
      {error !== null && <ErrorBanner error={error} onRetry={retry} />}
      <div
        role="grid"
        aria-rowcount={count + 1}
        aria-colcount={columns.length}
        aria-label={info.entry.title}
        className={css.grid}
        style={{ minWidth: isNarrow ? undefined : columns.length * 110 }}
        onKeyDown={onKeyDown}
      >
        <Head columns={columns} orders={orders} onOrders={onOrders} template={template} />
        <div role="rowgroup" className={css.rows} style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const row = rows.get(index)
            const sysId = idOf(row)
            return (
              <div
                key={index}
                id={`row-${index}`}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={sysId !== '' && sysId === peeked}
                tabIndex={index === active ? 0 : -1}
                className={classes(css.row, changed.has(sysId) && css.changed)}
                style={{
                  transform: `translateY(${start}px)`,
                  height,
                  gridTemplateColumns: isNarrow ? undefined : template,
                }}
                onFocus={() => setActive(index)}
                onClick={() => open(index)}
              >
                {columns.map(({ path, title, column }, at) => (
                  <div key={path} role="gridcell" aria-colindex={at + 1} className={css.cell} data-type={column.type}>
                    {isNarrow && at > 1 && <small className={css.cellTitle}>{title}</small>}
                    {row === undefined ? (
                      <span className={css.waiting} />
                    ) : (
                      <Value cell={row[path]} column={column} timeZone={time_zone} />
                    )}
                  </div>
                ))}
              </div>
            )
          })}
        </div>
      </div>
      {total?.isOver === true && <p className={css.limit}>{t('list.limit', { count: maxRows })}</p>}
    </div>
  )
}

interface HeadProps {
  readonly columns: readonly PathColumn[]
  readonly orders: EncodedQuery['orders']
  readonly onOrders: (orders: EncodedQuery['orders']) => void
  readonly template: string
}

function Head({ columns, orders, onOrders, template }: HeadProps) {
  const sort = (path: string, isMore: boolean): void => {
    const known = orders.find((order) => order.path.join('.') === path)
    const direction = known?.direction === 'ascending' ? 'descending' : 'ascending'
    const order = { path: path.split('.'), direction, position: 0 } as const
    onOrders(isMore ? [...orders.filter((each) => each !== known), order] : [order])
  }
  return (
    <div role="rowgroup" className={css.headGroup}>
      <div role="row" aria-rowindex={1} className={css.headRow} style={{ gridTemplateColumns: template }}>
        {columns.map(({ path, title }, at) => {
          const place = orders.findIndex((order) => order.path.join('.') === path)
          const direction = orders[place]?.direction
          return (
            <div
              key={path}
              role="columnheader"
              aria-colindex={at + 1}
              aria-sort={direction ?? 'none'}
              className={css.headCell}
            >
              <button type="button" title={t('list.sort')} onClick={(event) => sort(path, event.shiftKey)}>
                <span>{title}</span>
                {direction !== undefined && <Icon name={direction === 'ascending' ? 'up' : 'down'} size={12} />}
                {direction !== undefined && orders.length > 1 && <small>{place + 1}</small>}
              </button>
            </div>
          )
        })}
      </div>
    </div>
  )
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)

function widthOf(name: string, type: string, at: number): string {
  if (name === 'number') return '112px'
  if (name === 'subject' || name === 'description' || name === 'short_description') return 'minmax(220px, 3fr)'
  if (name === 'state') return 'minmax(148px, 1.1fr)'
  if (name === 'priority' || type === 'boolean') return 'minmax(112px, 0.7fr)'
  if (type === 'datetime' || type === 'date') return 'minmax(132px, 0.8fr)'
  return at === 0 ? 'minmax(140px, 1.5fr)' : 'minmax(116px, 1fr)'
}

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
