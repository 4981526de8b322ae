import type { OnDelete } from '../../catalog/catalog.ts'
import type { Dependent } from './collect-dependents.ts'

/** What a delete does to the records of one table by one of its columns. */
export interface DependentsOfColumn {
  readonly table: string
  readonly column: string
  readonly action: OnDelete
  /** Limited to what one request may touch. */
  readonly count: number
  /** There are more. */
  readonly more: boolean
}

/** Counts dependents by table, column and action. @param max the largest count that is reported */
export function countByColumn(dependents: readonly Dependent[], max: number): readonly DependentsOfColumn[] {
  const byColumn = Map.groupBy(dependents, ({ table, by }) => `${table.name}\n${by.column.name}\n${by.action}`)
  return [...byColumn.entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, found]) => {
      const [first] = found
      if (first === undefined) return []
      const { table, by } = first
      const count = Math.min(found.length, max)
      return [{ table: table.name, column: by.column.name, action: by.action, count, more: found.length > max }]
    })
}
