import { type FocusEvent, type KeyboardEvent, useCallback, useMemo, useRef, useState } from 'react'
import { holdKeys, releaseKeys } from '../ui/held-keys.ts'
import type { EditEnd } from './cell-editor.tsx'
import { cellsOf, type RowActions } from './row.tsx'
import type { RowWindow } from './row-window.ts'

interface GridModel {
  readonly gridId: string
  /** Index of the first row. */
  readonly origin: number
  /** Index after the last row. */
  readonly end: number
  readonly columnCount: number
  readonly place: Place
  readonly setPlace: (place: Place) => void
  readonly sysIdAt: (index: number) => string
  /** Also of a row that is not in memory any more. */
  readonly knownIdAt: (index: number) => string
  readonly canEdit: (column: number) => boolean
  readonly window: RowWindow
  readonly open: (index: number) => void
  readonly peek: (index: number | null) => void
  readonly isPeeking: boolean
  /** Nothing is done with the rows: others are about to take their place. */
  readonly isStale: boolean
  /** Says that nothing was done, and why. */
  readonly onRejected: () => void
  readonly select: (sysIds: readonly string[], isSelected: boolean) => void
  readonly isSelected: (sysId: string) => boolean
  readonly clearSelection: () => boolean
  /** Reads a long list from its other end. @returns false: the row is in this part */
  readonly jump: (to: 'start' | 'end') => boolean
}

export interface Place {
  readonly row: number
  /** null: the row itself has the focus. */
  readonly column: number | null
}

export interface Editing {
  readonly sysId: string
  readonly row: number
  readonly column: number
}

/** Focus, selection and editing of a grid, with pointer and keys (ARIA authoring practices, grid pattern). */
export function useGrid(model: GridModel) {
  const latest = useRef(model)
  latest.current = model
  const { place, setPlace } = model
  const at = useRef(place)
  at.current = place
  const [editing, setEditing] = useState<Editing | null>(null)
  const anchor = useRef(place.row)

  const focus = useCallback(
    (row: number, column: number | null): void => {
      const { gridId, origin, end, columnCount, window, isPeeking, peek } = latest.current
      const next = {
        row: Math.max(origin, Math.min(end - 1, row)),
        column: column === null || column < 0 ? null : Math.min(columnCount - 1, column),
      }
      const isOtherRow = next.row !== at.current.row
      at.current = next
      setPlace(next)
      window.scrollToIndex(next.row)
      if (isPeeking && isOtherRow) peek(next.row)
      focusSoon(`${gridId}-${next.row}`, next.column)
    },
    [setPlace],
  )

  /** The editor reads the record first: what is typed meanwhile goes into its field. */
  const openEditor = useCallback((next: Editing): void => {
    holdKeys(() => setEditing(null))
    setEditing(next)
  }, [])

  const edit = useCallback(
    (row: number, column: number): void => {
      const { sysIdAt, canEdit, open, isStale, onRejected } = latest.current
      const sysId = sysIdAt(row)
      if (isStale) onRejected()
      else if (sysId === '') return
      else if (canEdit(column)) openEditor({ sysId, row, column })
      else open(row)
    },
    [openEditor],
  )

  const toggle = useCallback((row: number, isRange: boolean): void => {
    const { sysIdAt, knownIdAt, origin, end, isSelected, select, isStale, onRejected } = latest.current
    if (isStale) {
      onRejected()
      return
    }
    // A row of the other end of a long list is no beginning of a range.
    const start = isRange && anchor.current >= origin && anchor.current < end ? anchor.current : row
    const [from, to] = [Math.min(start, row), Math.max(start, row)]
    const idAt = (index: number): string => sysIdAt(index) || knownIdAt(index)
    const sysIds = Array.from({ length: to - from + 1 }, (_, index) => idAt(from + index)).filter((id) => id !== '')
    select(sysIds, isRange || !isSelected(sysIdAt(row)))
    anchor.current = row
  }, [])

  const actions: RowActions = useMemo(
    () => ({
      open: (row) => (latest.current.isStale ? latest.current.onRejected() : latest.current.open(row)),
      focus,
      toggle,
      edit,
    }),
    [focus, toggle, edit],
  )

  const closeEditor = useCallback(
    (end: EditEnd): void => {
      releaseKeys()
      setEditing(null)
      if (editing === null || end === 'away') return
      const { columnCount, canEdit } = latest.current
      const by = end === 'next' ? 1 : -1
      let column = editing.column + by
      while (end !== 'stay' && column >= 0 && column < columnCount && !canEdit(column)) column += by
      if (end === 'stay' || column < 0 || column >= columnCount) focus(editing.row, editing.column)
      else {
        focus(editing.row, column)
        // Not what is in the row now: the list may be read again at this moment.
        openEditor({ ...editing, column })
      }
    },
    [editing, focus, openEditor],
  )

  // A row with the focus stays rendered, wherever the list is scrolled: also one whose check box or link was clicked.
  const onFocus = ({ target }: FocusEvent): void => {
    const row = target.closest('[data-record]')?.id.slice(latest.current.gridId.length + 1)
    if (row === undefined || Number(row) === at.current.row) return
    at.current = { row: Number(row), column: null }
    setPlace(at.current)
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement
    if (target.closest('[data-record]') === null) return
    const act = keyAction(event, at.current, { model: latest.current, actions })
    if (act === null) return
    event.preventDefault()
    act()
  }
  return { editing, actions, closeEditor, onFocus, onKeyDown }
}

const maxFrames = 60

/** A row that was far away is rendered some frames later, and a cell can have the focus when it is rendered again. */
function focusSoon(id: string, column: number | null, frames = maxFrames): void {
  requestAnimationFrame(() => {
    const row = document.getElementById(id)
    const element = row === null || column === null ? row : cellsOf(row)[column]
    // An editor in the cell that was quicker keeps the focus.
    if (column !== null && element?.contains(document.activeElement) === true) return
    element?.focus({ preventScroll: column === null })
    if (document.activeElement !== element && frames > 0) focusSoon(id, column, frames - 1)
  })
}

interface KeyContext {
  readonly model: GridModel
  readonly actions: RowActions
}

/** null: the grid does not handle the key. */
function keyAction(event: KeyboardEvent, { row, column }: Place, { model, actions }: KeyContext): (() => void) | null {
  const isCommand = event.ctrlKey || event.metaKey
  if (event.altKey || (isCommand && event.key !== 'Home' && event.key !== 'End')) return null
  const { origin, end, columnCount } = model
  const pageRows = model.window.pageRows()
  const { focus, toggle } = actions
  const move = (to: number): void => {
    const next = Math.max(origin, Math.min(end - 1, to))
    if (event.shiftKey) toggle(next, true)
    focus(next, column)
  }
  const isInCell = column !== null && !isCommand
  const jump = (to: 'start' | 'end'): boolean => !event.shiftKey && model.jump(to)
  const act = new Map<string, () => void>([
    ['ArrowDown', () => move(row + 1)],
    ['ArrowUp', () => move(row - 1)],
    ['PageDown', () => move(row + pageRows)],
    ['PageUp', () => move(row - pageRows)],
    ['ArrowRight', () => focus(row, column === null ? 0 : column + 1)],
    ['ArrowLeft', () => focus(row, column === null || column === 0 ? null : column - 1)],
    ['Home', () => (isInCell ? focus(row, 0) : jump('start') || move(origin))],
    ['End', () => (isInCell ? focus(row, columnCount - 1) : jump('end') || move(end - 1))],
    ['Enter', () => (column === null ? actions.open(row) : actions.edit(row, column))],
    ['F2', () => actions.edit(row, column ?? firstEditable(model))],
    [' ', () => (model.isStale ? model.onRejected() : model.peek(model.isPeeking ? null : row))],
    ['Escape', () => (model.isPeeking ? model.peek(null) : model.clearSelection())],
  ]).get(event.key)
  if (act !== undefined) return act
  return event.code === 'KeyX' ? () => toggle(row, event.shiftKey) : null
}

function firstEditable({ columnCount, canEdit }: GridModel): number {
  const found = Array.from({ length: columnCount }, (_, column) => column).find(canEdit)
  return found ?? 0
}
