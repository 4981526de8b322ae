import type { ConditionComparison } from './condition-tree.ts'
import { literal } from './typed-value.ts'

/** The column of this path has exactly this value; the text is never a helper. */
export const equalsText = (path: readonly string[], text: string): ConditionComparison => ({
  kind: 'comparison',
  path,
  operator: '=',
  value: literal(text),
  position: 0,
})

/** The column of this path has one of these values. */
export const isOneOf = (path: readonly string[], texts: readonly string[]): ConditionComparison => ({
  kind: 'comparison',
  path,
  operator: 'IN',
  value: { kind: 'list', members: texts.map(literal) },
  position: 0,
})
