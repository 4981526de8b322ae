import type { Cell } from 'docket-client'

export interface Group {
  /** Values of the grouped fields, in their order. */
  readonly values: readonly Cell[]
  readonly count: number
}

export interface EqualGroup extends Group {
  /** One text for all values that are equal, by grouped field. */
  readonly texts: readonly string[]
}

/**
 * The server counts texts that differ in case apart, but a condition on one of them finds the records of both: here they are one group. It has
 * the title of the value that most records have.
 *
 * @param types of the grouped fields; empty: not read yet
 */
export function mergeEqual(groups: readonly Group[], types: readonly string[]): readonly EqualGroup[] {
  const cells = types.map((type, at) => commonCells(groups, type, at))
  const merged = new Map<string, EqualGroup>()
  for (const group of groups) {
    const texts = group.values.map((cell, at) => equalText(cell, types[at]))
    const key = JSON.stringify(texts)
    const values = group.values.map((cell, at) => cells[at]?.get(texts[at] ?? '') ?? cell)
    merged.set(key, { texts, values, count: group.count + (merged.get(key)?.count ?? 0) })
  }
  return [...merged.values()]
}

/** Of equal values of a field, by their text: the one that most records have. */
function commonCells(groups: readonly Group[], type: string, at: number): ReadonlyMap<string, Cell> {
  const counts = new Map<string, { cell: Cell; count: number }>()
  for (const { values, count } of groups) {
    const cell = values[at]
    if (cell === undefined) continue
    const value = String(cell.value)
    counts.set(value, { cell, count: count + (counts.get(value)?.count ?? 0) })
  }
  // Of equal keys, a map keeps the last.
  const rarestFirst = [...counts.values()].toSorted((one, other) => one.count - other.count)
  return new Map(rarestFirst.map(({ cell }) => [equalText(cell, type), cell]))
}

/** Types whose values are keys of records, which can be texts. They are compared exactly. */
const KEYS: ReadonlySet<string> = new Set(['reference', 'record_id', 'document_id', 'sys_id'])

function equalText({ value }: Cell, type = ''): string {
  if (value === null || value === '') return ''
  const text = String(value)
  if (type === '' || KEYS.has(type)) return text
  // Lists are equal if they have the same members.
  if (type === 'list') return [...new Set(text.split(','))].toSorted().join()
  // Each character by itself, as the server does it: a capital Σ at the end of a word is like any other.
  return text.replaceAll('İ', 'i').replaceAll('Σ', 'σ').toLowerCase()
}
