import type { Problem } from '../kernel/problem.ts'
import type { Result } from '../kernel/result.ts'
import { StartFailure } from '../kernel/start-failure.ts'

/** The value that a command needs; throws the error as one sentence for the person at the terminal. */
export function valueOrFailure<T>(result: Result<T, Problem>): T {
  if (result.ok) return result.value
  throw new StartFailure(sentenceOf(result.error))
}

function sentenceOf(problem: Problem): string {
  switch (problem.kind) {
    case 'invalid-value':
      return `${problem.field} cannot be used: ${problem.detail}.`
    case 'thing-not-found':
      return `There is no ${problem.thing} ${problem.name}.`
    case 'not-unique':
      return `There is another ${problem.table} with this ${problem.field}.`
    case 'conflict':
      return problem.detail
    default:
      return `Refused: ${JSON.stringify(problem)}`
  }
}
