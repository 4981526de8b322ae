import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticated, Authentication, Authenticator } from '../../identity/authenticate.ts'
import { readCredentials } from '../../identity/read-credentials.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { Access, KeyPlace } from '../endpoint/access.ts'
import { sendProblem } from '../response/send-response.ts'
import { isCrossSiteWrite, type OriginSettings } from './cross-site-write.ts'
import type { RequestRate } from './request-rate.ts'
import { countsAsCredential, isUse, sessionKeyOf, USER_HEADER } from './session-cookie.ts'
import { checkLanguage, inWantedLanguage } from './wanted-language.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** null if the route allows requests without credentials, and none came. */
    caller: Authenticated | null
    /** Key of the browser session, if its cookie counts for this request. */
    sessionKey: string | null
  }
  interface FastifyContextConfig {
    /** By default: `CALLER`. */
    readonly access?: Access
    /** Browsers also request files by themselves, such as the rest of a download. */
    readonly sendsFiles?: boolean
  }
}

/** @throws Error at start if a route needs no credentials and is not listed as such: a programming error */
export function rejectUnlistedRoute(
  openRoutes: ReadonlySet<string>,
  { methods, path, access }: { readonly methods: readonly string[]; readonly path: string; readonly access: Access },
): void {
  if (access.caller === 'required') return
  for (const method of methods) {
    const route = `${method === 'HEAD' ? 'GET' : method} ${path}`
    if (!openRoutes.has(route)) throw new Error(`the route ${route} needs no credentials but is not in OPEN_ROUTES`)
  }
}

type Done = (error?: Error) => void

/** A hook that runs before any part of the body is read. */
export function admit(
  authenticator: Authenticator,
  access: Access,
  { settings, rate }: { readonly settings: OriginSettings; readonly rate: RequestRate },
) {
  return (request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    const language = checkLanguage(request)
    if (!language.ok) {
      sendProblem(reply, language.error)
      return
    }
    const readsCookie = access.caller !== 'none' && access.ignoresCookies !== true
    const isForeign = readsCookie && !hasHeader(request) && !takeCookie(request, settings)
    const isAnonymous = !hasHeader(request) && request.sessionKey === null
    if (access.caller === 'none' || (access.caller === 'optional' && isAnonymous)) {
      next(request, reply, done)
      return
    }
    if (isForeign) {
      sendProblem(reply, { kind: 'not-own-page' })
      return
    }
    const admitKnown = (known: Result<Authenticated, Problem>): void => {
      if (known.ok && isOfOtherUser(request, known.value)) {
        sendProblem(reply, { kind: 'unauthenticated', reason: 'other-user' })
      } else if (known.ok) {
        request.caller = inWantedLanguage(known.value, request)
        admitCaller(rate, request, reply, done)
      } else {
        sendProblem(reply, known.error)
      }
    }
    const known = identify(authenticator, request, { access, settings })
    if (known instanceof Promise) known.then(admitKnown, done)
    else admitKnown(known)
  }
}

function admitCaller(rate: RequestRate, request: FastifyRequest, reply: FastifyReply, done: Done): void {
  const retryAfterSeconds = rate(callerOf(request).principal.userId)
  if (retryAfterSeconds === 0) next(request, reply, done)
  else sendProblem(reply, { kind: 'too-many-requests', retryAfterSeconds })
}

/** @returns false if there is a cookie that does not count for this request */
function takeCookie(request: FastifyRequest, settings: OriginSettings): boolean {
  const key = sessionKeyOf(request, settings)
  if (key === undefined) return true
  if (!countsAsCredential(request, settings)) return false
  request.sessionKey = key
  return true
}

/**
 * All pages of a browser share one cookie. A page that still displays a former user neither reads nor writes as the user who signed in
 * after that in another page.
 */
const isOfOtherUser = ({ sessionKey, headers }: FastifyRequest, { principal }: Authenticated): boolean =>
  sessionKey !== null && (headers[USER_HEADER] ?? principal.userId) !== principal.userId

/** Credentials in a header win over a cookie. */
const hasHeader = (request: FastifyRequest): boolean =>
  request.headers.authorization !== undefined ||
  request.headers['x-api-key'] !== undefined ||
  keyInOtherPlace(request) !== undefined

/** Large bodies are announced with `Expect: 100-continue`. */
function next(request: FastifyRequest, reply: FastifyReply, done: Done): void {
  if (request.headers.expect !== undefined) reply.raw.writeContinue()
  done()
}

function identify(
  authenticator: Authenticator,
  request: FastifyRequest,
  { access, settings }: { readonly access: Access; readonly settings: OriginSettings },
): Authentication {
  const credentials = credentialsOf(request, isUse(request))
  if (!credentials.ok) return credentials
  if (credentials.value.kind === 'password' && isCrossSiteWrite(request, settings)) {
    return fail({ kind: 'cross-site-write' })
  }
  return access.rights === 'as-of-epoch'
    ? authenticator.authenticate(credentials.value, request.ip)
    : authenticator.authenticateNow(credentials.value, request.ip)
}

/** The caller, read again from the database unless the cached one is as new as the epoch. */
export async function identifyAgain(
  authenticator: Authenticator,
  request: FastifyRequest,
  notOlderThan: string,
): Promise<Result<Authenticated, Problem>> {
  const credentials = credentialsOf(request)
  if (!credentials.ok) return credentials
  const known = await authenticator.authenticate(credentials.value, request.ip, notOlderThan)
  if (!known.ok) return known
  request.caller = inWantedLanguage(known.value, request)
  return succeed(request.caller)
}

/** The caller with current rights, for a response that takes long. */
export async function identifyNow(
  authenticator: Authenticator,
  request: FastifyRequest,
): Promise<Result<Authenticated, Problem>> {
  const credentials = credentialsOf(request)
  if (!credentials.ok) return credentials
  const known = await authenticator.authenticateNow(credentials.value, request.ip)
  return known.ok ? succeed(inWantedLanguage(known.value, request)) : known
}

/** @param isUseOfSession false if a long request is checked again: an open event stream does not prolong a session */
function credentialsOf(request: FastifyRequest, isUseOfSession = false): ReturnType<typeof readCredentials> {
  const { headers, sessionKey } = request
  if (sessionKey !== null) return succeed({ kind: 'cookie', key: sessionKey, isUse: isUseOfSession })
  const apiKey = headers['x-api-key'] ?? (headers.authorization === undefined ? keyInOtherPlace(request) : undefined)
  return readCredentials({
    authorization: headers.authorization,
    apiKey: Array.isArray(apiKey) ? apiKey[0] : apiKey,
  })
}

function keyInOtherPlace(request: FastifyRequest): string | undefined {
  for (const place of request.routeOptions.config.access?.keyIn ?? []) {
    const key = keyAt(place, request)
    if (key !== undefined) return key
  }
  return undefined
}

function keyAt({ in: place, name }: KeyPlace, { raw, headers }: FastifyRequest): string | undefined {
  switch (place) {
    case 'header': {
      const given = headers[name]
      return Array.isArray(given) ? given[0] : given
    }
    case 'query': {
      const [, query = ''] = (raw.url ?? '').split('?')
      return new URLSearchParams(query).get(name) ?? undefined
    }
    default:
      return unreachable(place)
  }
}

/** @throws Error on a route that is open: a mistake of ours */
export function callerOf(request: FastifyRequest): Authenticated {
  if (request.caller === null) throw new Error('this route reads its caller but needs no credentials')
  return request.caller
}
