import type { Problem } from './problem.ts'
import { fail, type Result } from './result.ts'

/** A service that Docket uses, but does not run, failed. Operators read its message; callers read `forCallers`. */
export abstract class UpstreamError extends Error {
  /** Contains neither the address of the service nor its response. */
  abstract readonly forCallers: string
}

const retryAfterSeconds = 30

/**
 * Returns the result of `work`. An upstream error becomes the problem `unavailable`.
 *
 * @param onError gets the upstream error
 */
export async function orUnavailable<T>(
  work: () => Promise<Result<T, Problem>>,
  onError: (error: unknown) => void,
): Promise<Result<T, Problem>> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    onError(error)
    return fail({ kind: 'unavailable', detail: error.forCallers, retryAfterSeconds })
  }
}
