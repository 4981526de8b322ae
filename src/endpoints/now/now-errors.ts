import type { ErrorFormat } from '../../http/response/error-format.ts'
import { type ErrorResponse, errorOf, headersOf } from '../../http/response/error-messages.ts'
import { type NowError, OFF, wordingOf } from '../../now/wordings.ts'

/** Root path of this API. */
export const ROOT = '/api/now'

/** Header of every response. */
export const LOGGED_IN = { 'x-is-logged-in': 'true' } as const

/** Headers of every response with JSON. */
export const NOW_HEADERS = { 'content-type': 'application/json;charset=UTF-8', ...LOGGED_IN } as const

/** Errors in the format for clients of ServiceNow. */
export const nowErrors: ErrorFormat = {
  problem(problem, about) {
    const { 'www-authenticate': _, ...headers } = headersOf(problem)
    const response = nowError(wordingOf(problem, errorOf(problem, about.language).message), about.requestId)
    return {
      ...response,
      headers: { ...response.headers, ...headers, ...(problem.kind === 'unauthenticated' ? CHALLENGE : {}) },
    }
  },
  internal: (about) => nowError({ status: 500, message: 'Internal error', detail: INTERNAL }, about.requestId),
}

const INTERNAL = 'The server failed. The log tells why, under the request_id of this response.'
const CHALLENGE = { 'www-authenticate': 'Basic realm="Service-now"' }

/** If this API is off, every path of it is absent. */
export const nowIsOff: ErrorFormat = {
  ...nowErrors,
  problem(problem, about) {
    if (problem.kind !== 'no-such-path') return nowErrors.problem(problem, about)
    return nowError({ status: 404, message: OFF.message(problem.path), detail: OFF.detail }, about.requestId)
  },
}

export function nowError({ status, message, detail }: NowError, requestId: string): ErrorResponse {
  const body = { error: { message, detail }, status: 'failure', request_id: requestId }
  return { status, headers: NOW_HEADERS, body: JSON.stringify(body) }
}
