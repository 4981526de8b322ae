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
export function asParameter(test: ConditionComparison, column: Column, ground: Ground): ConditionComparison {
  if (test.position !== OF_PARAMETER || test.value.kind !== 'literal' || test.operator !== '=') return test
  const { text } = test.value
  if (text === '') return test
  if (column.choices.length > 0) return withChoice(test, text, column)
  return refersToOne(column) && column.displayed === undefined ? withDisplayValue(test, text, column, ground) : test
}

function withChoice(test: ConditionComparison, text: string, { choices }: Column): ConditionComparison {
  const isText = (other: string): boolean => other.toLowerCase() === text.trim().toLowerCase()
  if (choices.some(({ value }) => isText(value))) return test
  const members = choices
    .filter(({ titles }) => isText(titles.en) || isText(titles.ru))
    .map(({ value }) => literal(value))
  return members.length === 0 ? test : { ...test, operator: 'IN', value: { kind: 'list', members } }
}

function withDisplayValue(
  test: ConditionComparison,
  text: string,
  { reference, key }: Column,
  { catalog, nameOfColumn, prefix, given }: Ground,
): ConditionComparison {
  const target = reference === null ? undefined : catalog.tables.get(reference)
  const isId = isGivenId(text.trim()) || readServedId(text, key, { prefix, given }) !== null
  if (isId || target === undefined || target.displayColumn === null) return test
  return { ...test, path: [...test.path, nameOfColumn(target.name, target.displayColumn.name)] }
}
