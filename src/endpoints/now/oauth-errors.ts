import type { ErrorFormat } from '../../http/response/error-format.ts'
import { type ErrorResponse, errorOf, problemResponse } from '../../http/response/error-messages.ts'

/** Errors of the token endpoints that the server finds before the operation, as RFC 6749 (5.2) has them. */
export const oauthErrors: ErrorFormat = {
  problem(problem, { requestId }) {
    const { status, headers } = problemResponse(problem, requestId)
    return oauthError(status, errorOf(problem, 'en').message, headers)
  },
  internal: () => oauthError(500, 'The server failed. Its log tells why.'),
}

function oauthError(status: number, detail: string, headers: ErrorResponse['headers'] = {}): ErrorResponse {
  const error = status === 429 || status >= 500 ? 'temporarily_unavailable' : 'invalid_request'
  return {
    status,
    headers: {
      ...headers,
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      pragma: 'no-cache',
    },
    body: JSON.stringify({ error, error_description: detail }),
  }
}
