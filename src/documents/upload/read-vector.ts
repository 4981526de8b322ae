import type { ProblemOf } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { documentLimits } from '../document-limits.ts'

/** A vector that a caller gives, with a text or for a search: float32 numbers, not all of them 0. */
export function readVector(sent: unknown): Result<Float32Array, ProblemOf<'invalid-value'>> {
  if (!Array.isArray(sent) || !sent.every((number) => typeof number === 'number'))
    return wrong('it must be an array of numbers')
  const max = documentLimits.vectorNumbers
  if (sent.length === 0 || sent.length > max) return wrong(`it has ${sent.length} numbers; it may have 1 to ${max}`)
  const vector = Float32Array.from(sent as readonly number[])
  if (!vector.every(Number.isFinite)) return wrong('one of its numbers is too large')
  // Vectors are compared by their angle.
  if (vector.every((number) => number === 0)) return wrong('all of its numbers are 0, so it has no direction')
  return succeed(vector)
}

function wrong(detail: string): Result<never, ProblemOf<'invalid-value'>> {
  return fail({ kind: 'invalid-value', field: 'vector', detail })
}
