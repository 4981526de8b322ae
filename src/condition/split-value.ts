import { type Result, succeed } from '../kernel/result.ts'
import type { ConditionTest } from './condition-tree.ts'
import { unexpected } from './dates/read-date-text.ts'
import { isHelper } from './dates/read-helper.ts'

/**
 * The members that IN and NOT IN name: split by `@` if there is one, else by `,` (record spec, section 6). Spaces belong
 * to a member. No value is no member. A helper is one member, commas and all.
 */
export function listMembers({ value, literal }: ListValue): readonly string[] {
  if (value === '') return []
  if (value.includes('@')) return value.split('@')
  return isHelper(value) && !literal ? [value] : value.split(',')
}

type ListValue = Pick<ConditionTest, 'value' | 'literal'>

/** The two ends of BETWEEN, `from@to`, both inclusive; either may be a helper. */
export function rangeEnds(value: string): Result<readonly [from: string, to: string], string> {
  const [from, to, more] = value.split('@', 3)
  if (from === undefined || to === undefined || from === '' || to === '' || more !== undefined) {
    return unexpected('two values parted by one @, as from@to', value)
  }
  return succeed([from, to])
}
