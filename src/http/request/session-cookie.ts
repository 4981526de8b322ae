import type { FastifyRequest } from 'fastify'
import type { Settings } from '../../config/settings.ts'
import { isOwnOrigin } from './cross-site-write.ts'

/** The header that pages of this server send. Other origins cannot: it needs a preflight, and CORS does not allow it. */
export const CONSOLE_HEADER = 'x-docket-console'

/** The header in which a page names the user whose data it displays, by sys_id. */
export const USER_HEADER = 'x-docket-user'

type CookieSettings = Pick<Settings, 'baseUrl'>

interface CookieRules {
  readonly name: string
  readonly path: string
  readonly isSecure: boolean
}

/**
 * Over TLS a prefix of the name makes the browser check that no other host and no page without TLS set the cookie. `__Host-` requires the
 * path `/`; with a path prefix it is `__Secure-` and that path.
 */
function rulesOf(request: FastifyRequest, { baseUrl }: CookieSettings): CookieRules {
  const address = baseUrl === undefined ? null : new URL(baseUrl)
  const path = address?.pathname.replace(/\/+$/, '') || '/'
  const isSecure = address?.protocol === 'https:' || request.protocol === 'https'
  const prefix = isSecure ? (path === '/' ? '__Host-' : '__Secure-') : ''
  return { name: `${prefix}docket_session`, path, isSecure }
}

/** The key in the cookie of this server, if there is one; `countsAsCredential` decides whether it counts. */
export function sessionKeyOf(request: FastifyRequest, settings: CookieSettings): string | undefined {
  const { cookie } = request.headers
  if (cookie === undefined) return undefined
  const { name } = rulesOf(request, settings)
  const found = cookie.split(';').find((pair) => pair.trimStart().startsWith(`${name}=`))
  return found?.slice(found.indexOf('=') + 1).trim() || undefined
}

/** A value for `Set-Cookie`. The browser deletes the cookie when it closes; the server ends the session in any case. */
export function cookieWith(key: string, request: FastifyRequest, settings: CookieSettings): string {
  const { name, path, isSecure } = rulesOf(request, settings)
  return `${name}=${key}; Path=${path}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
}

/** A value for `Set-Cookie` that removes it. */
export const emptyCookie = (request: FastifyRequest, settings: CookieSettings): string =>
  `${cookieWith('', request, settings)}; Max-Age=0`

const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/**
 * Whether the cookie of this request counts. Browsers that send `Sec-Fetch-Site` must send `same-origin`, or `none` for what the user opens
 * (an address that is entered, a file); over plain HTTP they do not send it. A write also needs our `Origin` and our header.
 */
export function countsAsCredential(request: FastifyRequest, settings: CookieSettings): boolean {
  const { method, headers, routeOptions } = request
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers
  const isReading = READING_METHODS.has(method)
  const isOpened = isReading && (mode === 'navigate' || routeOptions.config.sendsFiles === true)
  if (site !== undefined && site !== 'same-origin' && !(site === 'none' && isOpened)) return false
  return isReading || isSentByOwnPage(request, settings)
}

/** Checks the two headers that a page of another origin cannot send together. */
export function isSentByOwnPage(request: FastifyRequest, settings: CookieSettings): boolean {
  const { origin, [CONSOLE_HEADER]: marked } = request.headers
  return origin !== undefined && marked !== undefined && isOwnOrigin(origin, request, settings)
}

/** Whether the request prolongs the session: one that a page sends by itself, with `X-Docket-Console: background`, does not. */
export const isUse = ({ headers }: FastifyRequest): boolean => headers[CONSOLE_HEADER] !== 'background'
