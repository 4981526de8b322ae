import type { Column } from '../../catalog/catalog.ts'
import { comparisonOf } from '../../column-types/column-types.ts'
import type { AuthorizedRequest } from '../authorize/authorized-request.ts'
import { givenValue } from './body-values.ts'
import type { Assignment } from './planned-change.ts'

/** Whether a write gives values of the column in the form in which another API displays them. */
export const isDisplayedAsOther = ({ displayed }: Column): boolean =>
  displayed?.kind === 'choice' || displayed?.kind === 'filled'

export function planDisplayed(column: Column, authorized: AuthorizedRequest): Assignment {
  const value = givenValue(column, authorized)
  const all = column.displayed?.kind === 'choice' ? column.displayed.classes : []
  // A new record has exactly this class.
  const isCreate = authorized.request.operation === 'create'
  const classes = isCreate ? all.filter(({ ids }) => ids.includes(authorized.table.id)) : all
  return {
    column,
    comparisonType: comparisonOf(column),
    change: { kind: 'displayed', column, value, classes, by: null },
  }
}

/** If `split` of a class names a second column and the body has it, the change gets its value as `by`. */
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
