import type { Problem, ProblemOf } from '../kernel/problem.ts'

/** Errors that a right of the caller would have prevented. */
const DENIALS = [
  'table-denied',
  'column-denied',
  'record-denied',
  'write-denied',
  'role-needed',
  'key-narrowed',
] as const
export type DenialProblem = ProblemOf<(typeof DENIALS)[number]>

export function isDenial(problem: Problem): problem is DenialProblem {
  return (DENIALS as readonly string[]).includes(problem.kind)
}

/** A request that was rejected because its caller lacks a right. */
export interface Denial {
  readonly userId: string
  readonly problem: DenialProblem
  /** null: the request names no table, or no record. */
  readonly table: string | null
  readonly recordId: string | null
  readonly method: string
  /** Pattern of the address. */
  readonly route: string
}
