import { keptAt } from './kept-list.ts'
import type { Part } from './use-rows.ts'

/** Where a list was left for a record, by its key: the link to the list leads to the same row. */
interface Place {
  readonly row: number
  /** Scroll position in CSS pixels. */
  readonly top: number
  readonly part: Part
}

export const places = new Map<string, Place>()

interface LeftList {
  readonly table: string
  /** Key of the list in `places`. */
  readonly key: string
  /** Full address, with its conditions. */
  readonly href: string
  /** Key of the entry in the history of the browser. */
  readonly entry: string
  /** sys_ids of the rows that were read, by row. */
  readonly sysIds: ReadonlyMap<number, string>
  /** Index of the first row. */
  readonly origin: number
  /** null: unknown. */
  readonly rowCount: number | null
  /** In CSS pixels. */
  readonly rowHeight: number
}

let left: LeftList | null = null

export function leaveList(list: LeftList, place: Place): void {
  left = list
  places.set(list.key, place)
}

export interface PlaceInList {
  readonly href: string
  readonly row: number
  /** From 1, and of how many; null: unknown. */
  readonly counted: { readonly row: number; readonly count: number } | null
  readonly previous: string | null
  readonly next: string | null
}

/** The list from which the open record was reached, and the records around it; null if it was reached in another way. */
export function placeInList(table: string, sysId: string): PlaceInList | null {
  if (left === null || left.table !== table) return null
  const { sysIds, href, origin, rowCount } = left
  const row = [...sysIds].find(([, id]) => id === sysId)?.[0]
  if (row === undefined) return null
  const counted = rowCount === null ? null : { row: row - origin + 1, count: rowCount }
  return { href, row, counted, previous: sysIds.get(row - 1) ?? null, next: sysIds.get(row + 1) ?? null }
}

/** Back leads to the row of the record that is open now. */
export function moveInList(to: number): void {
  if (left === null) return
  const place = places.get(left.key)
  const from = place?.row ?? to
  const top = Math.max(0, (place?.top ?? 0) + (to - from) * left.rowHeight)
  places.set(left.key, { row: to, top, part: place?.part ?? 'first' })
  const kept = keptAt(left.entry)
  const at = kept?.places.get(left.key)
  if (at !== undefined) kept?.places.set(left.key, { ...at, row: to, top })
}
