import type { CellRow } from 'docket-client'
import { type MouseEvent, memo, type ReactNode } from 'react'
import { consolePath } from '../facts.ts'
import { t } from '../messages/i18n.ts'
import type { PathColumn } from '../table/field-path.ts'
import { classes } from '../ui/button.tsx'
import { Value } from '../ui/value.tsx'
import css from './list.module.css'

export interface RowActions {
  readonly open: (index: number) => void
  /** null: the row itself gets the focus. */
  readonly focus: (index: number, column: number | null) => void
  /** With `isRange`: selects all rows from the last selected one. */
  readonly toggle: (index: number, isRange: boolean) => void
  readonly edit: (index: number, column: number) => void
}

interface RowProps {
  readonly table: string
  /** Id of the grid: the prefix of the ids of its rows. */
  readonly gridId: string
  readonly index: number
  /** undefined: the row is still being read. */
  readonly row: CellRow | undefined
  readonly columns: readonly PathColumn[]
  readonly timeZone: string
  /** In CSS pixels. */
  readonly top: number
  readonly height: number
  /** undefined: displayed as a card, on narrow screens. */
  readonly template: string | undefined
  /** Column that has the focus; null: the row has it; undefined: the focus is elsewhere. */
  readonly focus: number | null | undefined
  readonly isSelected: boolean
  readonly isPeeked: boolean
  readonly isChanged: boolean
  /** A click anywhere opens the record: nothing can be edited, or there is no room for an editor. */
  readonly opensAnywhere: boolean
  readonly actions: RowActions
  /** Replaces the value of a column. */
  readonly editor: { readonly column: number; readonly element: ReactNode } | null
}

export const idOf = (row: CellRow | undefined): string => String(row?.['sys_id']?.value ?? '')

/** One record of a list. The first column is a link, so that it can be opened in another tab. */
export const Row = memo(function Row(props: RowProps) {
  const { table, index, row, columns, focus, actions, editor } = props
  const sysId = idOf(row)
  const onClick = (event: MouseEvent): void => {
    const target = event.target as HTMLElement
    if (target.closest(`.${css.editing}, .${css.check}`) !== null) return
    const isLink = target.closest('a') !== null
    if (isLink && (event.ctrlKey || event.metaKey || event.shiftKey)) return
    if (isLink || props.opensAnywhere) {
      event.preventDefault()
      actions.open(index)
    } else actions.focus(index, columnOf(target))
  }
  return (
    <div
      id={`${props.gridId}-${index}`}
      role="row"
      data-record=""
      aria-rowindex={index + 2}
      aria-selected={props.isSelected}
      tabIndex={focus === null ? 0 : -1}
      className={classes(
        css.row,
        props.isPeeked && css.peeked,
        props.isChanged && css.changed,
        editor !== null && css.edited,
      )}
      style={{
        transform: `translateY(${props.top}px)`,
        height: props.height,
        gridTemplateColumns: props.template,
      }}
      onClick={onClick}
      onDoubleClick={(event) => {
        const column = columnOf(event.target as HTMLElement)
        if (column !== null) actions.edit(index, column)
      }}
    >
      <SelectCell {...props} sysId={sysId} />
      {columns.map(({ path, title, column }, at) => (
        <div
          key={path}
          id={`${props.gridId}-${index}-${at}`}
          role="gridcell"
          aria-colindex={at + 2}
          data-column={at}
          data-type={column.type}
          tabIndex={focus === at ? 0 : -1}
          className={classes(css.cell, editor?.column === at && css.editing)}
          title={textOf(row, path)}
        >
          {editor?.column === at ? (
            editor.element
          ) : row === undefined ? (
            <span className={css.waiting} />
          ) : at === 0 ? (
            <a href={`${consolePath}/t/${table}/${sysId}`} tabIndex={-1} className={css.link}>
              <Value cell={row[path]} column={column} timeZone={props.timeZone} />
            </a>
          ) : (
            <>
              {props.template === undefined && <small className={css.cellTitle}>{title}</small>}
              <Value cell={row[path]} column={column} timeZone={props.timeZone} />
            </>
          )}
        </div>
      ))}
    </div>
  )
})

/** Cells cut long texts off; the tooltip has the whole text. */
function textOf(row: CellRow | undefined, path: string): string | undefined {
  const text = row?.[path]?.display_value
  return text != null && text.length > 24 ? text : undefined
}

function columnOf(target: HTMLElement): number | null {
  const column = target.closest<HTMLElement>('[data-column]')?.dataset['column']
  return column === undefined ? null : Number(column)
}

function SelectCell({ row, index, columns, isSelected, actions, sysId }: RowProps & { readonly sysId: string }) {
  const name = row?.[columns[0]?.path ?? '']?.display_value ?? sysId
  return (
    <div role="gridcell" aria-colindex={1} className={css.check}>
      <label>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={t('select.one', { name })}
          checked={isSelected}
          disabled={row === undefined}
          onChange={(event) => actions.toggle(index, (event.nativeEvent as unknown as MouseEvent).shiftKey)}
        />
      </label>
    </div>
  )
}
