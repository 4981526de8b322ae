import type { Column } from '../../catalog/catalog.ts'
import type { Walk } from '../../catalog/walk-path.ts'
import { columnTypeOf, comparisonOf } from '../../column-types/column-types.ts'
import type { ComparisonType } from '../../column-types/comparison-types.ts'
import { literal } from '../../condition/typed-value.ts'
import { refuse, succeed } from '../../kernel/result.ts'
import type { PermittedStats, StatColumn } from '../authorize/permitted-request.ts'
import type { Aggregate } from '../parse/record-request.ts'
import { planCallersWalk, type Rights } from './plan-rights.ts'
import { TRUE } from './predicates.ts'
import { readConditionValue } from './read-condition-value.ts'
import type { PlannedCell, PlannedField, PlannedGroup, PlannedStats } from './record-plan.ts'
import { ofRequest, type ValueSource } from './value-source.ts'

/** Makes a field of the answer out of a walk. */
export type PlanField = (walk: Walk) => PlannedField

/**
 * Groups and aggregates are columns of a table of their own: first it is computed from the rows that the caller may read
 * (a value that they may not see counts as none), then it is shown as records are.
 */
export function planStats(stats: PermittedStats, rights: Rights, planField: PlanField): PlannedStats {
  const groups = stats.groups.map(({ key, unit, walk }, index): PlannedGroup => {
    const shown = { ...planField(walk), key }
    return {
      ...cell(`#group_${index}`, planCallersWalk(walk, rights), shown, resultOf('group', walk.end.column)),
      unit,
    }
  })
  const aggregates = stats.aggregates.map(({ kind, walk, isShown }, index) => {
    const column = resultOf(kind, walk.end.column)
    return { ...cell(`#value_${index}`, planCallersWalk(walk, rights), planField(walk), column), kind, isShown }
  })
  const cellOf = (on: StatColumn): { readonly name: string; readonly family: ComparisonType } => {
    const found = on.kind === 'count' ? undefined : (on.kind === 'group' ? groups : aggregates)[on.index]
    return found === undefined ? { name: '#count', family: 'whole' } : found
  }
  return {
    groups,
    aggregates,
    having: stats.having.map(({ on, operator }, index) => {
      const { name, family } = cellOf(on)
      // A mean has digits behind the point, whatever it is the mean of.
      const compared = family === 'whole' ? 'decimal' : family
      return { name, family: compared, operator, value: valueOfHaving(index, compared) }
    }),
    orders: stats.orders.map(({ on, direction }) => ({ ...cellOf(on), direction })),
  }
}

function valueOfHaving(index: number, family: ComparisonType): ValueSource {
  return ofRequest(({ having }, caller) => {
    const operand = having[index] ?? literal('')
    const value = readConditionValue(operand, family, caller)
    if (value.ok) return succeed([value.value])
    return refuse({
      kind: 'bad-parameter',
      parameter: { part: 'having' },
      found: operand.text,
      expected: `a value that fits (${value.error})`,
    })
  })
}

/** A column that the value computed under `name` is shown as. */
function cell(name: string, walk: PlannedCell['walk'], field: PlannedField, column: Column): PlannedCell {
  return {
    name,
    family: comparisonOf(column),
    walk,
    shown: {
      ...field,
      walk: { steps: [], table: walk.table, column: { ...column, id: name, storage: name }, visible: TRUE },
    },
  }
}

/** A column whose values look like those of a group or an aggregate. */
function resultOf(kind: Aggregate | 'group', column: Column): Column {
  const { aggregate } = columnTypeOf(column)
  const type =
    kind === 'group' ? aggregate.groupedAs : kind === 'sum' || kind === 'avg' ? aggregate[kind]?.as : undefined
  return type === undefined ? column : { ...column, type }
}
