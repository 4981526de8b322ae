import { type FocusEvent, type KeyboardEvent, useCallback, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { holdForNext, holdKeys, releaseKeys } from '../ui/held-keys.ts'
import { messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import type { EditEnd, LeaveEditor } from './cell-editor.tsx'
import { cellsOf, type RowActions } from './row.tsx'
import type { RowWindow } from './row-window.ts'

interface GridModel {
  readonly gridId: string
  /** Key of the list. */
  readonly list: string
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
  /** Reads sys_ids of rows, also of those that were passed over; null: there are none. */
  readonly readIds: ((from: number, to: number) => Promise<readonly string[]>) | null
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
  /** Key of the list. */
  readonly list: string
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
  // Its value was rejected, and the user has gone on to another list. The record can be in it, at another place.
  if (editing !== null && editing.list !== model.list) setEditing(null)
  /** The row that was selected last, where a range begins. */
  const anchor = useRef<{ readonly list: string; readonly row: number } | null>(null)
  const leaveEditor: LeaveEditor = useRef(null)

  const choose = useCallback(
    (row: number, column: number | null): FocusTarget => {
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
      return { rowId: `${gridId}-${next.row}`, column: next.column, isWanted: () => at.current === next }
    },
    [setPlace],
  )

  /** The row or cell gets the focus when it is rendered. */
  const moveTo = useCallback((row: number, column: number | null): void => focusSoon(choose(row, column)), [choose])

  /**
   * For keys and clicks. The next key goes to what has the focus: a cell that loses its tab index, or a row that leaves the page, before
   * the next one has the focus would leave it to the page, and on a slow machine the browser handles keys in between.
   */
  const focus = useCallback(
    (row: number, column: number | null): void => {
      const target = flushSync(() => choose(row, column))
      if (!giveFocus(target)) focusSoon(target)
    },
    [choose],
  )

  /** The editor reads the record first: what is typed meanwhile goes into its field. */
  const openEditor = useCallback((next: Editing): void => {
    holdForNext(() => setEditing(null))
    setEditing(next)
  }, [])

  const edit = useCallback(
    (row: number, column: number): void => {
      const { list, sysIdAt, canEdit, open, isStale, onRejected } = latest.current
      const sysId = sysIdAt(row)
      const next = { list, sysId, row, column }
      const leave = leaveEditor.current
      if (isStale) onRejected()
      else if (sysId === '') return
      else if (!canEdit(column)) open(row)
      else if (leave === null) openEditor(next)
      else openAfter(leave, () => openEditor(next))
    },
    [openEditor],
  )

  const toggle = useCallback((row: number, isRange: boolean, first?: number): void => {
    const { list, sysIdAt, knownIdAt, readIds, origin, end, isSelected, select, isStale, onRejected } = latest.current
    if (isStale) {
      onRejected()
      return
    }
    const known = first ?? (anchor.current?.list === list ? anchor.current.row : row)
    // A row of the other end of a long list is no beginning of a range.
    const start = isRange && known >= origin && known < end ? known : row
    anchor.current = { list, row }
    const [from, to] = [Math.min(start, row), Math.max(start, row)]
    const idAt = (index: number): string => sysIdAt(index) || knownIdAt(index)
    const sysIds = Array.from({ length: to - from + 1 }, (_, index) => idAt(from + index))
    if (readIds !== null && from < to && sysIds.includes(''))
      readIds(from, to).then(
        (read) => select(read, true),
        (error: unknown) => showToast(messageOf(error)),
      )
    else select(sysIds, isRange || !isSelected(sysIdAt(row)))
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
      setEditing(null)
      const column = editing === null ? null : columnAfter(editing.column, end, latest.current)
      if (end === 'stay' || (end !== 'away' && column === null)) releaseKeys()
      if (editing === null || end === 'away') return
      moveTo(editing.row, column ?? editing.column)
      // Not what is in the row now: the list may be read again at this moment.
      if (column !== null) openEditor({ ...editing, column })
    },
    [editing, moveTo, openEditor],
  )

  /** Its row is gone, and nobody waits for its field. */
  const dropEditor = useCallback((): void => {
    setEditing(null)
    releaseKeys()
  }, [])

  // A row with the focus stays rendered, wherever the list is scrolled: also one whose check box or link was clicked.
  const onFocus = ({ target }: FocusEvent): void => {
    const row = target.closest('[data-record]')?.id.slice(latest.current.gridId.length + 1)
    if (row === undefined || Number(row) === at.current.row) return
    at.current = { row: Number(row), column: null }
    setPlace(at.current)
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement
    // A check box has its own key.
    if (target.closest('[data-record]') === null || (event.key === ' ' && target.role === 'checkbox')) return
    const act = keyAction(event, at.current, { model: latest.current, actions })
    if (act === null) return
    event.preventDefault()
    act()
  }
  return { editing, actions, moveTo, closeEditor, dropEditor, leaveEditor, onFocus, onKeyDown }
}

/** What was typed into another cell is saved first. If it is rejected, that cell stays open. */
function openAfter(leave: () => Promise<boolean>, open: () => void): void {
  let isWanted = true
  holdKeys(() => {
    isWanted = false
  })
  void leave().then((isLeft) => isLeft && isWanted && open())
}

interface FocusTarget {
  readonly rowId: string
  /** null: the row itself. */
  readonly column: number | null
  /** false: another place has been chosen. */
  readonly isWanted: () => boolean
}

const maxFrames = 60

/** A row that was far away is rendered some frames later, and a cell can have the focus when it is rendered again. */
function focusSoon(target: FocusTarget, frames = maxFrames): void {
  requestAnimationFrame(() => {
    if (target.isWanted() && !giveFocus(target) && frames > 0) focusSoon(target, frames - 1)
  })
}

/** @returns false: it is not in the page, or takes no focus yet */
function giveFocus({ rowId, column }: FocusTarget): boolean {
  const row = document.getElementById(rowId)
  const element = row === null || column === null ? row : cellsOf(row)[column]
  // An editor in the cell that was quicker keeps the focus.
  if (column !== null && element?.contains(document.activeElement) === true) return true
  element?.focus({ preventScroll: column === null })
  return document.activeElement === element
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
    if (event.shiftKey) toggle(next, true, row)
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

/** The next column that can be edited; null: the editor is not to go on, or there is none. */
function columnAfter(column: number, end: EditEnd, { columnCount, canEdit }: GridModel): number | null {
  if (end === 'stay' || end === 'away') return null
  const by = end === 'next' ? 1 : -1
  let next = column + by
  while (next >= 0 && next < columnCount && !canEdit(next)) next += by
  return next >= 0 && next < columnCount ? next : null
}

function firstEditable({ columnCount, canEdit }: GridModel): number {
  const found = Array.from({ length: columnCount }, (_, column) => column).find(canEdit)
  return found ?? 0
}
