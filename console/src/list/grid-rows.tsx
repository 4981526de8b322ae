import type { CellRow } from 'docket-client'
import { memo, type PointerEvent, type ReactNode, useMemo, useSyncExternalStore } from 'react'
import type { ChangedCells } from '../live/use-table-events.ts'
import css from './list.module.css'
import { columnOf, idOf, Row, type RowContext } from './row.tsx'
import type { RowWindow } from './row-window.ts'
import type { Selection } from './use-selection.ts'

interface GridRowsProps {
  readonly window: RowWindow
  /** Index after the last row. */
  readonly end: number
  readonly rows: ReadonlyMap<number, CellRow>
  readonly context: RowContext
  /** Of the row that has the focus when the grid has it. It stays in the page wherever the user scrolls. */
  readonly focusRow: number
  /** null: the row itself has the focus. */
  readonly focusColumn: number | null
  readonly selection: Selection
  readonly changed: ChangedCells
  readonly peeked: string | null
  readonly editor: { readonly sysId: string; readonly column: number; readonly element: ReactNode } | null
}

/** The rows in view. Of the grid, this alone is rendered while the user scrolls. */
export const GridRows = memo(function GridRows(props: GridRowsProps) {
  const { window, end, rows, context, focusRow, editor } = props
  const { first, last } = useSyncExternalStore(window.subscribe, window.current, window.current)
  const editorCell = useMemo(
    () => (editor === null ? null : { column: editor.column, element: editor.element }),
    [editor],
  )
  const rowAt = (index: number): ReactNode => {
    const row = rows.get(index)
    const sysId = idOf(row)
    return (
      <Row
        key={index}
        context={context}
        index={index}
        row={row}
        focus={index === focusRow ? props.focusColumn : undefined}
        isSelected={props.selection.has(sysId)}
        isPeeked={sysId !== '' && sysId === props.peeked}
        changed={props.changed.get(sysId)}
        editor={sysId !== '' && sysId === editor?.sysId ? editorCell : null}
      />
    )
  }
  const indexes = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  if (focusRow < first && focusRow >= context.origin) indexes.unshift(focusRow)
  if (focusRow > last && focusRow < end) indexes.push(focusRow)
  return (
    <div
      role="rowgroup"
      className={css.rows}
      style={{ height: (end - context.origin) * context.height }}
      onPointerOver={(event) => titleCell(event, rows, context)}
    >
      {indexes.map(rowAt)}
    </div>
  )
})

/** Texts are truncated in their cells; a pointer that rests on one displays the whole. */
function titleCell(event: PointerEvent, rows: GridRowsProps['rows'], { columns }: RowContext): void {
  const target = event.target as HTMLElement
  const cell = target.closest<HTMLElement>('[role=gridcell]')
  const at = columnOf(target)
  const column = at === null ? undefined : columns[at]
  if (cell === null || column === undefined) return
  const index = Number(/\d+$/.exec(cell.closest('[role=row]')?.id ?? '')?.[0])
  const text = rows.get(index)?.[column.path]?.display_value ?? ''
  if (text.length > 24 || (text !== '' && column.column.type === 'datetime')) cell.title = text
  else cell.removeAttribute('title')
}
