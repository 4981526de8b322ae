import { isLongNumber } from '../kernel/exact-json.ts'

/** JSON.stringify writes both as escapes; a backslash of the text itself is doubled in front of them. */
const UNSTORABLE = /(?:^|[^\\])(?:\\\\)*\\u(?:0000|d[89a-f])/

/** Equal to the limit for bodies. PostgreSQL parses nested values recursively and fails at some depth. */
const MAX_DEPTH = 100

/** PostgreSQL expands numbers, so a few characters such as 1e100000 would take a hundred thousand. */
export const MAX_DIGITS = 1_000

/**
 * The value's JSON text; null if jsonb cannot store it: U+0000 or a lone surrogate in a text, too deep nesting, or a number of
 * more than 1,000 digits.
 */
export function storableJson(value: unknown): string | null {
  if (isDeeperThan(value, MAX_DEPTH) || holdsHugeNumber(value)) return null
  const text = JSON.stringify(value)
  return UNSTORABLE.test(text) ? null : text
}

export function holdsHugeNumber(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (isLongNumber(value)) return digitsOf(value.rawJSON) > MAX_DIGITS
  return levels > 0 && Object.values(value).some((member) => holdsHugeNumber(member, levels - 1))
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null || isLongNumber(value)) return false
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1))
}

function digitsOf(number: string): number {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e')
  return mantissa.length + Math.abs(Number(exponent))
}
