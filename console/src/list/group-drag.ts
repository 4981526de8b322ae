import { type PointerEvent, useEffect, useRef, useState } from 'react'
import { type Group, isGroup, type MemberPath, memberAt, movedTo } from './condition-group.ts'

interface Drag {
  readonly from: MemberPath
  readonly startX: number
  readonly startY: number
  /** The pointer has left its start: a click does not. */
  readonly isMoving: boolean
  /** null: the member cannot be dropped here. */
  readonly to: MemberPath | null
}

/** Where the dragged member would stand: before or behind a row, or in an empty group. */
export interface DropMark {
  readonly path: string
  readonly side: 'before' | 'behind' | 'within'
}

export interface GroupDrag {
  /** Path of the dragged row; null: none is dragged. */
  readonly dragged: string | null
  readonly mark: DropMark | null
  readonly begin: (path: MemberPath, event: PointerEvent<HTMLElement>) => void
  readonly follow: (event: PointerEvent<HTMLElement>) => void
  readonly end: () => void
  readonly cancel: () => void
  /** Whether the click that follows is the end of a drag. */
  readonly hasEnded: () => boolean
}

/** Moves members of a group by pointer. Escape ends it without a change. */
export function useGroupDrag(group: Group, onMove: (from: MemberPath, to: MemberPath) => void): GroupDrag {
  const [drag, setDrag] = useState<Drag | null>(null)
  const hasMoved = useRef(false)
  const isDragging = drag !== null
  useEffect(() => {
    if (!isDragging) return undefined
    const cancel = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return
      // The popup around the rows stays open.
      event.preventDefault()
      event.stopPropagation()
      setDrag(null)
    }
    addEventListener('keydown', cancel, { capture: true })
    return () => removeEventListener('keydown', cancel, { capture: true })
  }, [isDragging])
  return {
    dragged: drag?.isMoving === true ? drag.from.join('.') : null,
    mark: drag?.to == null ? null : markOf(group, drag.to),
    begin: (from, event) => {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      hasMoved.current = false
      setDrag({ from, to: null, startX: event.clientX, startY: event.clientY, isMoving: false })
    },
    follow: ({ clientX, clientY }) => {
      if (drag === null) return
      const isMoving = drag.isMoving || Math.hypot(clientX - drag.startX, clientY - drag.startY) > slack
      if (!isMoving) return
      hasMoved.current = true
      const place = placeAt(group, clientX, clientY)
      const to = place === null || movedTo(group, drag.from, place) === null ? null : place
      if (!drag.isMoving || to?.join() !== drag.to?.join()) setDrag({ ...drag, isMoving, to })
    },
    end: () => {
      if (drag?.to != null) onMove(drag.from, drag.to)
      setDrag(null)
    },
    cancel: () => setDrag(null),
    hasEnded: () => hasMoved.current,
  }
}

/** In CSS pixels, that the pointer of a click may move. */
const slack = 4

/** In CSS pixels. At its edges a group is a row like others; between them a member is dropped into it. */
const groupEdge = 10

function placeAt(group: Group, x: number, y: number): MemberPath | null {
  const row = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-row]')
  if (row == null) return null
  row.scrollIntoView({ block: 'nearest' })
  const path = pathOf(row.dataset['row'] ?? '')
  const { top, bottom, height } = row.getBoundingClientRect()
  const member = memberAt(group, path)
  const isInner = member !== undefined && isGroup(member)
  const edge = isInner ? groupEdge : height / 2
  if (path.length > 0 && y < top + edge) return path
  if (path.length > 0 && y >= bottom - edge) return path.with(-1, (path.at(-1) ?? 0) + 1)
  return isInner ? [...path, member.of.length] : null
}

const pathOf = (text: string): MemberPath => (text === '' ? [] : text.split('.').map(Number))

function markOf(group: Group, to: MemberPath): DropMark {
  if (memberAt(group, to) !== undefined) return { path: to.join('.'), side: 'before' }
  const index = to.at(-1) ?? 0
  const parent = to.slice(0, -1)
  return index === 0
    ? { path: parent.join('.'), side: 'within' }
    : { path: [...parent, index - 1].join('.'), side: 'behind' }
}
