import type { Catalog, Column } from '../catalog/catalog.ts'
import { refersToOne } from '../column-types/column-types.ts'
import { type GivenIds, isGivenId, readServedId } from '../column-types/served-id.ts'
import type { ConditionComparison } from '../condition/condition-tree.ts'
import { literal } from '../condition/typed-value.ts'

/** Offset of conditions that are parameters of their own: `?state=New`. */
export const OF_PARAMETER = -1

interface Ground {
  readonly catalog: Catalog
  /** The name of a column of the dictionary in this API. */
  readonly nameOfColumn: (table: string, column: string) => string
  readonly prefix: string
  readonly given: GivenIds
}

/** A condition that is a parameter may also have the title of a choice or the display value of a reference. */
export function asParameter(comparison: ConditionComparison, column: Column, ground: Ground): ConditionComparison {
  if (comparison.position !== OF_PARAMETER || comparison.value.kind !== 'literal' || comparison.operator !== '=')
    return comparison
  const { text } = comparison.value
  if (text === '') return comparison
  if (column.choices.length > 0) return withChoice(comparison, text, column)
  return refersToOne(column) && column.displayed === undefined
    ? withDisplayValue(comparison, text, column, ground)
    : comparison
}

function withChoice(comparison: ConditionComparison, text: string, { choices }: Column): ConditionComparison {
  const isText = (other: string): boolean => other.toLowerCase() === text.trim().toLowerCase()
  if (choices.some(({ value }) => isText(value))) return comparison
  const members = choices
    .filter(({ titles }) => isText(titles.en) || isText(titles.ru))
    .map(({ value }) => literal(value))
  return members.length === 0 ? comparison : { ...comparison, operator: 'IN', value: { kind: 'list', members } }
}

function withDisplayValue(
  comparison: ConditionComparison,
  text: string,
  { reference, key }: Column,
  { catalog, nameOfColumn, prefix, given }: Ground,
): ConditionComparison {
  const target = reference === null ? undefined : catalog.tables.get(reference)
  const isId = isGivenId(text.trim()) || readServedId(text, key, { prefix, given }) !== null
  if (isId || target === undefined || target.displayColumn === null) return comparison
  return { ...comparison, path: [...comparison.path, nameOfColumn(target.name, target.displayColumn.name)] }
}
