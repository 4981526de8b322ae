import type { Operator } from '../../condition/operators.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { Predicate } from './planned-predicate.ts'
import type { RecordPlan } from './record-plan.ts'

/**
 * Whether the best way to run a list or a report depends on the values of its conditions. A pattern may match three rows or a third of
 * them: a plan for all patterns reads the whole table in the order of the list to find the three.
 */
export function dependsOnValues({ form, readable }: RecordPlan): boolean {
  if (form.kind !== 'list' && form.kind !== 'stats') return false
  return hasPattern(form.where) || hasPattern(readable)
}

const PATTERNS: ReadonlySet<Operator> = new Set(['LIKE', 'STARTSWITH', 'ENDSWITH', 'MATCH_PAT'])

function hasPattern(predicate: Predicate): boolean {
  switch (predicate.kind) {
    case 'all':
    case 'any':
      return predicate.of.some(hasPattern)
    case 'test':
      return PATTERNS.has(predicate.test.operator)
    case 'related':
      return hasPattern(predicate.where)
    case 'constant':
    case 'class':
    case 'row':
    case 'belongs':
      return false
    default:
      return unreachable(predicate)
  }
}
