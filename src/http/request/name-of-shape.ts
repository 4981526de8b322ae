import { isLongNumber } from '../../kernel/exact-json.ts'

/** The kind of a JSON value, in words for an error; undefined is a missing body. */
export function nameOfShape(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (isLongNumber(value)) return 'a number'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
