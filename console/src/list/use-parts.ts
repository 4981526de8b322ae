import { useState } from 'react'
import { endIfSignedOut } from '../app.tsx'
import { messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import { cursorAfter, cursorRows, maxRows, type Part, type Total } from './use-rows.ts'

const first: Part = { kind: 'first' }

export interface Parts {
  /** The displayed one is the last; none: the beginning. */
  readonly parts: readonly Part[]
  readonly part: Part
  /** The list has more rows than one part. */
  readonly isLong: boolean
  readonly toFirst: () => void
  readonly toLast: () => void
  /** @param cursor cursor after the last row, if the part begins at a cursor */
  readonly toNext: (cursor: string | null) => Promise<void>
  /** null: this is the part that was opened first. */
  readonly toPrevious: (() => void) | null
}

interface LongList {
  /** The parts that were opened when the list was left. */
  readonly left: readonly Part[]
  readonly table: string
  readonly query: string
  readonly total: Total | null
}

/** Splits a list of more than 10,000 rows: its beginning, parts that follow by cursor, and its end. No page with a deep offset is read. */
export function useParts({ table, query, total, left }: LongList): Parts {
  const key = `${table}?${query}`
  const [opened, setOpened] = useState<{ readonly key: string; readonly parts: readonly Part[] }>({ key, parts: left })
  const parts = opened.key === key ? opened.parts : left
  const part = parts.at(-1) ?? first
  const go = (next: readonly Part[]): void => setOpened({ key, parts: next })
  const toNext = async (behind: string | null): Promise<void> => {
    const before = part.kind === 'after' ? part.before + cursorRows : maxRows
    try {
      const cursor = part.kind === 'after' ? behind : await cursorAfter(table, query, maxRows)
      if (cursor !== null) go([...parts, { kind: 'after', cursor, before }])
    } catch (error) {
      if (!endIfSignedOut(error)) showToast(messageOf(error))
    }
  }
  return {
    parts,
    part,
    isLong: total !== null && (total.isOver || total.count > maxRows),
    toFirst: () => go([]),
    toLast: () => go([{ kind: 'last' }]),
    toNext,
    toPrevious: part.kind === 'after' ? () => go(parts.slice(0, -1)) : null,
  }
}
