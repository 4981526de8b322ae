import type { FastifyRequest } from 'fastify'
import type { Problem } from '../../kernel/problem.ts'
import { CONSOLE_HEADER } from '../request/session-cookie.ts'
import { type ErrorResponse, internalErrorResponse, problemResponse } from './error-messages.ts'

/** How errors look, and in which language. Each operation declares one format; without it, `ENGLISH_ERRORS`. */
export interface ErrorFormat {
  readonly language: 'english' | 'of-caller'
  readonly problem: (problem: Problem, about: AboutRequest) => ErrorResponse
  /** Our own fault. */
  readonly internal: (about: AboutRequest) => ErrorResponse
}

export interface AboutRequest {
  readonly requestId: string
  readonly language: 'en' | 'ru'
  /** Sent by a page of the console. */
  readonly isOfConsole: boolean
}

export const ENGLISH_ERRORS: ErrorFormat = {
  language: 'english',
  problem(problem, { requestId, language, isOfConsole }) {
    const response = problemResponse(problem, requestId, language)
    return isOfConsole && response.status === 401
      ? { ...response, headers: { ...response.headers, ...CONSOLE_CHALLENGE } }
      : response
  },
  internal: ({ requestId, language }) => internalErrorResponse(requestId, language),
}

/** The record service: messages in the caller's language, the rest as in English. */
export const ERRORS_IN_LANGUAGE_OF_CALLER: ErrorFormat = { ...ENGLISH_ERRORS, language: 'of-caller' }

/** Browsers ask for a password in a window of their own if Basic is offered; our pages have a sign-in. */
const CONSOLE_CHALLENGE = { 'www-authenticate': 'Bearer realm="Docket"' }

/** Errors of addresses that no operation has, below a path of another API. */
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
  request.routeOptions.config?.errorFormat ?? unroutedFormatOf(request) ?? ENGLISH_ERRORS

/** null: the address is not below a path of another API. */
export function unroutedFormatOf({ raw, server }: FastifyRequest): ErrorFormat | null {
  const [path = ''] = (raw.url ?? '').split('?', 1)
  return server.unroutedErrors.find(({ under }) => path === under || path.startsWith(`${under}/`))?.format ?? null
}

export const aboutRequest = (request: FastifyRequest, format: ErrorFormat): AboutRequest => ({
  requestId: request.id,
  language: languageOf(request, format),
  isOfConsole: CONSOLE_HEADER in request.headers,
})

/** English where nobody is known. */
export const languageOf = ({ caller }: FastifyRequest, { language }: ErrorFormat = ENGLISH_ERRORS): 'en' | 'ru' =>
  language === 'of-caller' && caller?.principal.language === 'ru' ? 'ru' : 'en'
