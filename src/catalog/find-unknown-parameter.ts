import type { Problem } from '../kernel/problem.ts'
import { nearestNames } from './nearest-names.ts'

/** The first name that is not known, with the known names that are nearest to it; null: all are known. */
export function findUnknownParameter(names: Iterable<string>, known: readonly string[]): Problem | null {
  for (const parameter of names)
    if (!known.includes(parameter))
      return { kind: 'unknown-parameter', parameter, similar: nearestNames(parameter, known), known }
  return null
}
