import type { FastifyRequest } from 'fastify'
import type { Problem } from '../../kernel/problem.ts'
import { CONSOLE_HEADER } from '../request/session-cookie.ts'
import { wantedLanguage } from '../request/wanted-language.ts'
import { type ErrorResponse, internalErrorResponse, problemResponse } from './error-messages.ts'
import { explanationFor } from './explain-denial.ts'

/** How errors look. Each operation declares one format; without it, `ERRORS`. Messages are in the language of the caller. */
export interface ErrorFormat {
  readonly problem: (problem: Problem, about: AboutRequest) => ErrorResponse
  /** An internal error. */
  readonly internal: (about: AboutRequest) => ErrorResponse
}

export interface AboutRequest {
  readonly requestId: string
  readonly language: 'en' | 'ru'
  /** Sent by a page of the console. */
  readonly isOfConsole: boolean
  /** Address that explains a denial to a caller who may see it; null: none. */
  readonly explanationOf: (problem: Problem) => string | null
}

/** Of both services. */
export const ERRORS: ErrorFormat = {
  problem(problem, { requestId, language, isOfConsole, explanationOf }) {
    const response = problemResponse(problem, requestId, { language, explain: explanationOf(problem) })
    return isOfConsole && response.status === 401
      ? { ...response, headers: { ...response.headers, ...CONSOLE_CHALLENGE } }
      : response
  },
  internal: ({ requestId, language }) => internalErrorResponse(requestId, language),
}

/** Browsers ask for a password in a window of their own if Basic is offered; our pages have a sign-in. */
const CONSOLE_CHALLENGE = { 'www-authenticate': 'Bearer realm="Docket"' }

/** Errors for addresses of no operation, below a path of another API. */
export interface UnroutedErrors {
  /** A path without a slash at its end. */
  readonly under: string
  readonly format: ErrorFormat
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Without it: the address belongs to no operation. */
    readonly errorFormat?: ErrorFormat
  }
  interface FastifyInstance {
    readonly unroutedErrors: readonly UnroutedErrors[]
  }
}

export const errorFormatOf = (request: FastifyRequest): ErrorFormat =>
  request.routeOptions.config?.errorFormat ?? unroutedFormatOf(request) ?? ERRORS

/** null: the address is not below a path of another API. */
export function unroutedFormatOf({ raw, server }: FastifyRequest): ErrorFormat | null {
  const [path = ''] = (raw.url ?? '').split('?', 1)
  return server.unroutedErrors.find(({ under }) => path === under || path.startsWith(`${under}/`))?.format ?? null
}

export const aboutRequest = (request: FastifyRequest): AboutRequest => ({
  requestId: request.id,
  language: languageOf(request),
  isOfConsole: CONSOLE_HEADER in request.headers,
  explanationOf: (problem) => explanationFor(request, problem),
})

/** English where nobody is known, and the request names no language. */
export const languageOf = (request: FastifyRequest): 'en' | 'ru' =>
  request.caller?.principal.language ?? wantedLanguage(request) ?? 'en'
