import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'

/**
 * What is read with an entity tag may stay in the cache of one browser or client, which revalidates each time: rights are checked on
 * each request, and 304 says that the kept body is the one that they allow now. Shared caches keep nothing. `Vary` names what the
 * body depends on beside the address: the credentials, which also decide the language, and the packing.
 */
export const revalidate = {
  'cache-control': 'private, no-cache',
  vary: 'authorization, x-api-key, cookie, accept-encoding',
} as const

/** The cache of a browser keeps nothing of a browser session: nothing is left there after signing out. */
export const isKept = ({ caller }: FastifyRequest): boolean => caller?.means.kind !== 'cookie'

/** All names in one header, each once: what `writeHead` is given replaces what another part of the server set before. */
export function varyOf(raw: ServerResponse, parts: readonly (string | undefined)[]): string {
  const before = raw.getHeader('vary')
  const given = parts.filter((part) => part !== undefined && part !== '')
  // Nearly always: nothing to join.
  if (before === undefined && given.length <= 1) return given[0] ?? ''
  const names = [String(before ?? ''), ...given].flatMap((part) => part?.split(', ') ?? [])
  return [...new Set(names.filter((name) => name !== ''))].join(', ')
}
