import type { CellRow } from 'docket-client'
import { type MouseEvent, memo, type ReactNode } from 'react'
import { consolePath } from '../facts.ts'
import { t } from '../messages/i18n.ts'
import type { PathColumn } from '../table/field-path.ts'
import { classes } from '../ui/button.tsx'
import { valueNode } from '../ui/value.tsx'
import css from './list.module.css'

export interface RowActions {
  readonly open: (index: number) => void
  /** null: the row itself. */
  readonly focus: (index: number, column: number | null) => void
  /** With `isRange`: all from `first`; default: from the one that was selected last. */
  readonly toggle: (index: number, isRange: boolean, first?: number) => void
  readonly edit: (index: number, column: number) => void
}

/** What all rows of a grid share. One object, so that a row that stays the same is compared in a moment. */
export interface RowContext {
  readonly table: string
  /** Of the grid: what the ids of its rows begin with. */
  readonly gridId: string
  readonly columns: readonly PathColumn[]
  readonly timeZone: string
  /** In CSS pixels. */
  readonly height: number
  /** Index of the first row. */
  readonly origin: number
  /** The number of rows before the first one is known: none. */
  readonly isCounted: boolean
  /** undefined: a card, on narrow screens. */
  readonly template: string | undefined
  /** A click anywhere opens the record: there is nothing to edit, or no space for it. */
  readonly opensAnywhere: boolean
  /** Other rows take the place of these as soon as they are read. */
  readonly isStale: boolean
  readonly actions: RowActions
}

interface RowProps {
  readonly context: RowContext
  readonly index: number
  /** undefined: it is being read. */
  readonly row: CellRow | undefined
  /** Column that has the focus; null: the row has it; undefined: it is elsewhere. */
  readonly focus: number | null | undefined
  readonly isSelected: boolean
  readonly isPeeked: boolean
  /** Columns that have just changed. */
  readonly changed: ReadonlySet<string> | undefined
  /** In place of the value of a column. */
  readonly editor: { readonly column: number; readonly element: ReactNode } | null
}

export const idOf = (row: CellRow | undefined): string => String(row?.['sys_id']?.value ?? '')

/**
 * One record of a list. The first column is a link, so that it opens in another tab, too. Every element and attribute here is
 * made for each row that scrolls into view: cells have no id, no index and no tab index but the one that has the focus.
 */
export const Row = memo(function Row(props: RowProps) {
  const { context, index, focus, editor } = props
  const { actions, columns, template } = context
  const onClick = (event: MouseEvent): void => {
    const target = event.target as HTMLElement
    if (target.closest(`.${css.editing}, .${css.check}`) !== null) return
    const isLink = target.closest('a') !== null
    if (isLink && (event.ctrlKey || event.metaKey || event.shiftKey)) return
    if (isLink || context.opensAnywhere) {
      event.preventDefault()
      actions.open(index)
    } else actions.focus(index, columnOf(target))
  }
  const onDoubleClick = (event: MouseEvent): void => {
    const target = event.target as HTMLElement
    const column = columnOf(target)
    // In a field, it selects a word.
    if (column !== null && target.closest(`.${css.editing}`) === null) actions.edit(index, column)
  }
  return (
    <div
      id={`${context.gridId}-${index}`}
      role="row"
      data-record=""
      aria-rowindex={context.isCounted ? index - context.origin + 2 : undefined}
      aria-selected={props.isSelected}
      aria-disabled={context.isStale || undefined}
      tabIndex={focus === null ? 0 : -1}
      className={classes(css.row, props.isPeeked && css.peeked, editor !== null && css.edited)}
      style={{ top: (index - context.origin) * context.height, height: context.height, gridTemplateColumns: template }}
      onClick={onClick}
      onDoubleClick={onDoubleClick}
    >
      <div role="presentation" className={css.pinned}>
        <SelectCell {...props} />
        {cellAt(props, 0)}
      </div>
      {columns.slice(1).map((_, at) => cellAt(props, at + 1))}
    </div>
  )
})

function cellAt({ context, row, focus, changed, editor }: RowProps, at: number): ReactNode {
  const column = context.columns[at]
  if (column === undefined) return null
  // Cards have a place of their own for the date.
  const isCardDate = context.template === undefined && column.column.type === 'datetime'
  return (
    <div
      key={column.path}
      role="gridcell"
      data-type={isCardDate ? 'datetime' : undefined}
      // Of a path, the reference where it begins: the rest is in other records.
      data-changed={changed?.has(column.path.split('.', 1)[0] ?? '') || undefined}
      tabIndex={focus === at ? 0 : undefined}
      className={editor?.column === at ? `${css.cell} ${css.editing}` : css.cell}
    >
      {editor?.column === at ? editor.element : contentOf(context, row, at)}
    </div>
  )
}

function contentOf(
  { columns, table, timeZone, template }: RowContext,
  row: CellRow | undefined,
  at: number,
): ReactNode {
  const displayed = columns[at]
  if (row === undefined || displayed === undefined) return <span className={css.waiting} />
  const value = valueNode({ cell: row[displayed.path], column: displayed.column, timeZone })
  if (at === 0)
    return (
      <a href={`${consolePath}/t/${table}/${idOf(row)}`} tabIndex={-1} className={css.link}>
        {value}
      </a>
    )
  if (template !== undefined) return value
  return (
    <>
      <small className={css.cellTitle}>{displayed.title}</small>
      {value}
    </>
  )
}

/** The cells of the columns of a row, in their order. */
export const cellsOf = (row: Element): readonly HTMLElement[] =>
  [...row.querySelectorAll<HTMLElement>('[role=gridcell]')].slice(1)

export function columnOf(target: HTMLElement): number | null {
  const cell = target.closest<HTMLElement>('[role=gridcell]')
  const row = cell?.closest('[role=row]')
  const column = cell == null || row == null ? -1 : cellsOf(row).indexOf(cell)
  return column === -1 ? null : column
}

function SelectCell({ context: { columns, actions }, row, index, isSelected }: RowProps) {
  const name = row?.[columns[0]?.path ?? '']?.display_value ?? idOf(row)
  return (
    <div role="gridcell" className={css.check}>
      <button
        type="button"
        role="checkbox"
        aria-checked={isSelected}
        aria-label={t('select.one', { name })}
        tabIndex={-1}
        disabled={row === undefined}
        onClick={(event) => actions.toggle(index, event.shiftKey)}
      />
    </div>
  )
}
