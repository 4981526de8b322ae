import type { FastifyRequest } from 'fastify'
import type { Authenticated } from '../../identity/authenticate.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'

/**
 * In which language titles, display values and messages of the response are. It is not `Accept-Language`: browsers send that by
 * themselves, and it would win over the language that the user has chosen.
 */
const LANGUAGE_HEADER = 'x-docket-language'

type Language = 'en' | 'ru'

/** null: that of the user, also if the header has another value. */
export function wantedLanguage({ headers }: Pick<FastifyRequest, 'headers'>): Language | null {
  const wanted = headers[LANGUAGE_HEADER]
  return wanted === 'en' || wanted === 'ru' ? wanted : null
}

/** The header, if it is one of the languages. */
export function checkLanguage({ headers }: Pick<FastifyRequest, 'headers'>): Result<void, Problem> {
  const wanted = headers[LANGUAGE_HEADER]
  if (wanted === undefined || wanted === 'en' || wanted === 'ru') return succeed(undefined)
  return fail({ kind: 'bad-parameter', parameter: 'X-Docket-Language', found: String(wanted), expected: 'en or ru' })
}

/** The caller as one who reads the language of the request. */
export function inWantedLanguage(caller: Authenticated, request: Pick<FastifyRequest, 'headers'>): Authenticated {
  const language = wantedLanguage(request)
  if (language === null || language === caller.principal.language) return caller
  return { ...caller, principal: { ...caller.principal, language } }
}
