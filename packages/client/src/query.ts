import { allOf, anyOf } from '../../../src/condition/combine-conditions.ts'
import type { ConditionTree, EncodedQuery } from '../../../src/condition/condition-tree.ts'
import { operandOf } from '../../../src/condition/operator-spellings.ts'
import type { Operator } from '../../../src/condition/operators.ts'
import { printEncodedQuery } from '../../../src/condition/print-encoded-query.ts'
import { typedValue } from '../../../src/condition/typed-value.ts'

export type { ConditionTree, EncodedQuery, Operator }
export { printEncodedQuery }

/**
 * One condition. `path` is a field name, or several with dots between them, and so is the value of SAMEAS and similar operators.
 *
 * @param isData the value is data: a text that begins with `javascript:` is that text
 */
export function condition(path: string, operator: Operator, value = '', isData = false): ConditionTree {
  const segments = path === '' ? [] : path.split('.')
  const typed =
    operandOf(operator) === 'field'
      ? ({ kind: 'field', path: value.split('.') } as const)
      : typedValue(operator, value, isData)
  return { kind: 'comparison', path: segments, operator, value: typed, position: 0 }
}

/** All of these conditions. */
export const all = (...of: readonly [ConditionTree, ...ConditionTree[]]): ConditionTree => allOf(of)
/** At least one of these conditions. */
export const any = (...of: readonly [ConditionTree, ...ConditionTree[]]): ConditionTree => anyOf(of)
