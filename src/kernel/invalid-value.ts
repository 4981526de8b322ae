import type { Problem } from './problem.ts'
import { fail, type Result } from './result.ts'

/** The error of one field of a body. */
export function invalidValue(field: string, detail: string): Problem {
  return { kind: 'invalid-value', field, detail }
}

export function rejectValue(field: string, detail: string): Result<never, Problem> {
  return fail(invalidValue(field, detail))
}

export function rejectConflict(detail: string): Result<never, Problem> {
  return fail({ kind: 'conflict', detail })
}
