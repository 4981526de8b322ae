import type { Column } from '../../catalog/catalog.ts'
import { comparisonOf } from '../../column-types/column-types.ts'
import type { PermittedRequest } from '../authorize/permitted-request.ts'
import { givenValue } from './body-values.ts'
import type { Assignment } from './planned-change.ts'

/** Values of the column are written as another API shows them. */
export const isDisplayedAsOther = ({ displayed }: Column): boolean =>
  displayed?.kind === 'choice' || displayed?.kind === 'filled'

export function planDisplayed(column: Column, permitted: PermittedRequest): Assignment {
  const value = givenValue(column, permitted)
  const all = column.displayed?.kind === 'choice' ? column.displayed.classes : []
  // A new record is of exactly this class.
  const isCreate = permitted.request.operation === 'create'
  const classes = isCreate ? all.filter(({ ids }) => ids.includes(permitted.table.id)) : all
  return {
    column,
    comparisonType: comparisonOf(column),
    change: { kind: 'displayed', column, value, classes, by: null },
  }
}

/** A value that a second column of the body splits knows that column's value. */
export function withSplitValues(assignments: readonly Assignment[]): readonly Assignment[] {
  return assignments.map((assignment) => {
    const { change } = assignment
    if (change.kind !== 'displayed') return assignment
    const names = change.classes.flatMap((each) => each.split?.by ?? [])
    const by = assignments.find(({ column }) => names.includes(column.name))
    if (by?.change.kind !== 'displayed') return assignment
    return { ...assignment, change: { ...change, by: { column: by.column, value: by.change.value } } }
  })
}
