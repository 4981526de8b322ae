import type { Problem } from './problem.ts'
import { type Result, refuse } from './result.ts'

/** Something failed that Docket was told to use and does not run itself: the operator reads the message, callers less. */
export abstract class UpstreamError extends Error {
  /** What callers are told: nothing of where it is and what it said. */
  abstract readonly forCallers: string
}

const retryAfterSeconds = 30

/**
 * What `work` gives; a failure outside of Docket as a refusal for the time being.
 *
 * @param onTrouble is told of the failure as it was
 */
export async function orUnavailable<T>(
  work: () => Promise<Result<T, Problem>>,
  onTrouble: (error: unknown) => void,
): Promise<Result<T, Problem>> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    onTrouble(error)
    return refuse({ kind: 'unavailable', detail: error.forCallers, retryAfterSeconds })
  }
}
