import type { FastifyRequest } from 'fastify'
import type { Settings } from '../../config/settings.ts'

const plainHost = /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/

/**
 * The beginning of links in responses: the setting, otherwise the address that the caller used. If the Host header is invalid, links have
 * no host, so that no invalid text gets into a response.
 */
export function baseUrlOf(request: FastifyRequest, settings: Pick<Settings, 'baseUrl'>): string {
  if (settings.baseUrl !== undefined) return settings.baseUrl
  const { host } = request
  return plainHost.test(host) ? `${request.protocol}://${host}` : ''
}

/** `https://example.com/desk` → `/desk`. */
export function pathOf(baseUrl: string | undefined): string {
  return baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '')
}
