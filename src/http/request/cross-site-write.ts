import type { FastifyRequest } from 'fastify'
import type { Settings } from '../../config/settings.ts'
import { baseUrlOf } from './base-url.ts'

/** Origins of this server or allowed by an administrator. */
export type OriginSettings = Pick<Settings, 'baseUrl' | 'allowedOrigins'>

const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none'])

/**
 * Whether a browser sends this write for a page of another origin. Browsers store Basic credentials and add them to requests of any page,
 * so a page elsewhere could write with them (cross-site request forgery). Programs send neither `Sec-Fetch-Site` nor `Origin`, and pass.
 * Browsers without `Sec-Fetch-Site` (plain HTTP) send `Origin` with each write.
 */
export function isCrossSiteWrite(request: FastifyRequest, settings: OriginSettings): boolean {
  if (READING_METHODS.has(request.method)) return false
  const { 'sec-fetch-site': site, origin } = request.headers
  if (origin !== undefined && isTrustedOrigin(origin, request, settings)) return false
  return site === undefined ? origin !== undefined : !OWN_SITES.has(String(site))
}

function isTrustedOrigin(origin: string, request: FastifyRequest, settings: OriginSettings): boolean {
  return settings.allowedOrigins.includes(origin) || isOwnOrigin(origin, request, settings)
}

/** Whether a page of this server sent the request, according to `Origin`. */
export function isOwnOrigin(origin: string, request: FastifyRequest, settings: Pick<Settings, 'baseUrl'>): boolean {
  const own = originOf(origin)
  // The address outside of a proxy, or the address that the caller used.
  const addresses = [baseUrlOf(request, settings), `${request.protocol}://${request.host}`]
  return own !== null && addresses.some((address) => originOf(address) === own)
}

/** null: no address, or one without an origin such as `null`. */
const originOf = (address: string): string | null => (URL.canParse(address) ? new URL(address).origin : null)
