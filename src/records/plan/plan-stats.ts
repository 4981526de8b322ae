import type { Column, DisplayedValue } from '../../catalog/catalog.ts'
import type { ResolvedPath } from '../../catalog/resolve-path.ts'
import { columnTypeOf, comparisonOf } from '../../column-types/column-types.ts'
import type { ComparisonType } from '../../column-types/comparison-types.ts'
import { literal } from '../../condition/typed-value.ts'
import { fail, succeed } from '../../kernel/result.ts'
import type { AuthorizedStats, StatColumn } from '../authorize/authorized-request.ts'
import type { Aggregate } from '../parse/record-request.ts'
import { planCallersPath, type Rights } from './plan-row-access.ts'
import { TRUE } from './predicates.ts'
import { readConditionValue } from './read-condition-value.ts'
import type { PlannedCell, PlannedField, PlannedGroup, PlannedStats } from './record-plan.ts'
import { ofRequest, type ValueSource } from './value-source.ts'

/** Plans the field of the response for a path. */
export type PlanField = (fieldPath: ResolvedPath) => PlannedField

/**
 * Groups and aggregates are columns of a derived table. It is computed from the rows that the caller may read (a value that they may
 * not see counts as empty); then it is displayed like records.
 */
export function planStats(stats: AuthorizedStats, rights: Rights, planField: PlanField): PlannedStats {
  const groups = stats.groups.map(({ key, unit, fieldPath }, index): PlannedGroup => {
    const displayed = { ...planField(fieldPath), key }
    return {
      ...cell(
        `#group_${index}`,
        planCallersPath(fieldPath, rights),
        displayed,
        resultOf('group', fieldPath.end.column),
      ),
      unit,
    }
  })
  const aggregates = stats.aggregates.map(({ kind, fieldPath, isDisplayed }, index) => {
    const column = resultOf(kind, fieldPath.end.column)
    return {
      ...cell(`#value_${index}`, planCallersPath(fieldPath, rights), planField(fieldPath), column),
      kind,
      isDisplayed,
    }
  })
  const cellOf = (on: StatColumn): { readonly name: string; readonly comparisonType: ComparisonType } => {
    const found = on.kind === 'count' ? undefined : (on.kind === 'group' ? groups : aggregates)[on.index]
    return found === undefined ? { name: '#count', comparisonType: 'whole' } : found
  }
  return {
    groups,
    aggregates,
    having: stats.having.map(({ on, operator }, index) => {
      const { name, comparisonType } = cellOf(on)
      // The average of whole numbers has a fraction.
      const compared = comparisonType === 'whole' ? 'decimal' : comparisonType
      return { name, comparisonType: compared, operator, value: valueOfHaving(index, compared) }
    }),
    orders: stats.orders.map(({ on, direction }) => ({ ...cellOf(on), direction })),
  }
}

function valueOfHaving(index: number, comparisonType: ComparisonType): ValueSource {
  return ofRequest(({ having }, caller) => {
    const operand = having[index] ?? literal('')
    const value = readConditionValue(operand, comparisonType, caller)
    if (value.ok) return succeed([value.value])
    return fail({
      kind: 'bad-parameter',
      parameter: { part: 'having' },
      found: operand.text,
      expected: `a value that fits (${value.error})`,
    })
  })
}

/** The value that is computed as column `name`, and `column`, in whose form it is displayed. */
function cell(name: string, fieldPath: PlannedCell['fieldPath'], field: PlannedField, column: Column): PlannedCell {
  return {
    name,
    comparisonType: comparisonOf(column),
    fieldPath,
    displayed: {
      ...field,
      fieldPath: { hops: [], table: fieldPath.table, column: resultColumn(column, name), visible: TRUE },
    },
  }
}

/** The computed value is already in the displayed form. Only the titles of a lookup remain to be found, by the displayed text. */
function resultColumn({ displayed, ...column }: Column, name: string): Column {
  const result = { ...column, id: name, storage: name }
  return displayed?.kind === 'lookup' ? { ...result, displayed: ofTexts(displayed, name) } : result
}

function ofTexts({ texts, titles, ...lookup }: Lookup, storage: string): Lookup {
  const byText = (ofKeys: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
    new Map([...texts].map(([key, text]) => [text, ofKeys.get(key) ?? text]))
  return {
    ...lookup,
    storage,
    texts: byText(texts),
    titles: titles === null ? null : { en: byText(titles.en), ru: byText(titles.ru) },
  }
}

type Lookup = DisplayedValue & { readonly kind: 'lookup' }

/** The column with the type of the group's or the aggregate's values. */
function resultOf(kind: Aggregate | 'group', column: Column): Column {
  const { aggregate } = columnTypeOf(column)
  const type =
    kind === 'group' ? aggregate.groupedAs : kind === 'sum' || kind === 'avg' ? aggregate[kind]?.as : undefined
  return type === undefined ? column : { ...column, type }
}
