import type { EncodedQuery } from 'docket-client'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { currentLanguage, t } from '../messages/i18n.ts'
import type { PathColumn } from '../table/field-path.ts'
import { afterPaint } from '../ui/after-paint.ts'
import { Icon } from '../ui/icon.tsx'
import css from './list.module.css'

export type Orders = EncodedQuery['orders']
export type Widths = Readonly<Record<string, number>>

interface HeadProps {
  readonly columns: readonly PathColumn[]
  readonly orders: Orders
  readonly onOrders: (orders: Orders) => void
  readonly template: string
  readonly onWidth: (path: string, px: number) => void
  /** null: some records are selected, but not all. */
  readonly isAllSelected: boolean | null
  readonly onSelectAll: (isSelected: boolean) => void
}

const minWidth = 64
const maxWidth = 800
const step = 16

/** Titles sort the list, and edges change the width of a column; Alt with the arrow keys does the same. */
export function GridHead({ columns, orders, onOrders, template, onWidth, isAllSelected, onSelectAll }: HeadProps) {
  const headCell = (column: PathColumn) => <HeadCell key={column.path} {...{ column, orders, onOrders, onWidth }} />
  return (
    <div role="rowgroup" className={css.headGroup}>
      <div role="row" aria-rowindex={1} className={css.headRow} style={{ gridTemplateColumns: template }}>
        <div role="presentation" className={css.pinned}>
          <div role="columnheader" className={css.check}>
            <button
              type="button"
              role="checkbox"
              aria-label={t('select.loaded')}
              aria-checked={isAllSelected ?? 'mixed'}
              onClick={() => onSelectAll(isAllSelected !== true)}
            />
          </div>
          {columns.slice(0, 1).map(headCell)}
        </div>
        {columns.slice(1).map(headCell)}
      </div>
    </div>
  )
}

interface HeadCellProps extends Pick<HeadProps, 'orders' | 'onOrders' | 'onWidth'> {
  readonly column: PathColumn
}

function HeadCell({ column: { path, title }, orders, onOrders, onWidth }: HeadCellProps) {
  const place = orders.findIndex((order) => order.path.join('.') === path)
  const known = orders[place]
  /** What was pressed last, until the list is ordered by it. */
  const [pressed, setPressed] = useState<Orders[number] | null>(null)
  const displayed = pressed ?? known
  const sort = (isMore: boolean): void => {
    const direction = displayed?.direction === 'ascending' ? 'descending' : 'ascending'
    const order = { path: path.split('.'), direction, position: 0 } as const
    setPressed(order)
    // The list takes a slow computer 0.1 s.
    afterPaint(() => {
      setPressed(null)
      onOrders(isMore ? [...orders.filter((each) => each !== known), order] : [order])
    })
  }
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>): void => {
    const by = event.key === 'ArrowRight' ? step : event.key === 'ArrowLeft' ? -step : 0
    if (!event.altKey || by === 0) return
    event.preventDefault()
    onWidth(path, within((event.currentTarget.parentElement?.offsetWidth ?? 120) + by))
  }
  return (
    <div role="columnheader" aria-sort={displayed?.direction ?? 'none'} className={css.headCell} data-path={path}>
      <button type="button" title={t('list.sort')} onClick={(event) => sort(event.shiftKey)} onKeyDown={onKeyDown}>
        <span>{title}</span>
        {displayed !== undefined && <Icon name={displayed.direction === 'ascending' ? 'up' : 'down'} size={12} />}
        {known !== undefined && orders.length > 1 && <small>{place + 1}</small>}
      </button>
      <Edge onWidth={(px) => onWidth(path, px)} />
    </div>
  )
}

/** An edge that follows the pointer. The new width counts when the pointer is released. */
function Edge({ onWidth }: { readonly onWidth: (px: number) => void }) {
  const [from, setFrom] = useState<{ readonly x: number; readonly width: number } | null>(null)
  const [by, setBy] = useState(0)
  const begin = (event: PointerEvent<HTMLSpanElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId)
    setFrom({ x: event.clientX, width: event.currentTarget.parentElement?.offsetWidth ?? 120 })
    setBy(0)
  }
  const cancel = (): void => {
    setFrom(null)
    setBy(0)
  }
  const end = (): void => {
    if (from !== null && by !== 0) onWidth(within(from.width + by))
    cancel()
  }
  return (
    <span
      aria-hidden="true"
      className={css.edge}
      data-dragged={from !== null}
      style={{ translate: `${by}px 0` }}
      onPointerDown={begin}
      onPointerMove={(event) => from !== null && setBy(event.clientX - from.x)}
      onPointerUp={end}
      onPointerCancel={cancel}
    />
  )
}

const within = (px: number): number => Math.round(Math.min(maxWidth, Math.max(minWidth, px)))

/** CSS grid template: the user's widths, else widths by type. The first track is that of the check boxes. */
export const templateOf = (columns: readonly PathColumn[], widths: Widths): string =>
  [
    '34px',
    ...columns.map(({ path, column }, at) => {
      const width = widths[path]
      return width === undefined ? widthOf(column.name, column.type, at) : `${width}px`
    }),
  ].join(' ')

/** In CSS pixels. Below this width the list scrolls sideways. */
export const minWidthOf = (columns: readonly PathColumn[], widths: Widths): number =>
  columns.reduce((sum, { path }) => sum + (widths[path] ?? 112), 60)

function widthOf(name: string, type: string, at: number): string {
  // Titles of states, priorities and groups are longer in Russian.
  const isRussian = currentLanguage() === 'ru'
  if (name === 'number') return '112px'
  if (name === 'subject' || name === 'description' || name === 'short_description') return 'minmax(220px, 2.2fr)'
  if (name === 'state') return isRussian ? 'minmax(150px, 190px)' : 'minmax(128px, 172px)'
  if (name === 'priority' || type === 'boolean') return isRussian ? '128px' : '112px'
  if (type === 'datetime' || type === 'date') return '132px'
  return at === 0 ? 'minmax(140px, 1.5fr)' : `minmax(${isRussian ? 132 : 116}px, 1fr)`
}
