import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { Part } from './use-rows.ts'

/** Where a grid was left. */
export interface KeptPlace {
  readonly row: number
  /** Scroll position in CSS pixels. */
  readonly top: number
  /** The row had the focus and was in view, so the focus returns to it. */
  readonly hasFocus: boolean
  /** As long as it was known: the scroll position is reached before the total is read again. */
  readonly rowCount: number
  readonly part: Part
}

export interface Selected {
  /** Key of the list. */
  readonly list: string
  readonly sysIds: ReadonlySet<string>
  /** All matching records. */
  readonly isAll: boolean
}

export interface OpenedGroups {
  /** Keys of opened groups. */
  readonly keys: ReadonlySet<string>
  readonly top: number
}

/** What the page displayed when its entry in the history of the browser was left: only back and forward lead to it. */
interface KeptList {
  /** By grid: each opened group has one. */
  readonly places: Map<string, KeptPlace>
  /** By list: the page of a record has several. */
  readonly selected: Map<string, Selected>
  readonly groups: Map<string, OpenedGroups>
}

const kept = new Map<string, KeptList>()
/** The history of a browser has 50 entries. */
const maxEntries = 50

export const keptAt = (entry: string): Readonly<KeptList> | undefined => kept.get(entry)

/** What is kept of an entry that is being left, to be added to. */
export function keepAt(entry: string): KeptList {
  const list = kept.get(entry) ?? { places: new Map(), selected: new Map(), groups: new Map() }
  kept.delete(entry)
  kept.set(entry, list)
  for (const oldest of [...kept.keys()].slice(0, -maxEntries)) kept.delete(oldest)
  return list
}

/** Key of the current entry in the history of the browser. */
export const useHistoryEntry = (): (() => string) => {
  const { history } = useRouter()
  return () => history.location.state.__TSR_key ?? ''
}

/** Calls `keep` when the entry that displays the list is left, while the list is still displayed: for a record, another page, or another query. */
export function useKeepOnLeave(keep: (entry: string) => void): void {
  const { history } = useRouter()
  const latest = useRef(keep)
  latest.current = keep
  useEffect(() => {
    const { pathname } = history.location
    const entryNow = (): string => history.location.state.__TSR_key ?? ''
    let entry = entryNow()
    return history.subscribe(({ location, action }) => {
      if (action.type !== 'REPLACE') latest.current(entry)
      if (location.pathname === pathname) entry = entryNow()
    })
  }, [history])
}
