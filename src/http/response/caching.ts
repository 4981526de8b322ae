import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'

/**
 * A response with an entity tag may stay in the cache of one browser or client, which revalidates each time: rights are checked on each
 * request, and 304 means that the cached body is what the rights allow now. Shared caches store nothing. `Vary` names what the body depends
 * on beside the address: the credentials, which also decide the language, and the compression.
 */
export const revalidate = {
  'cache-control': 'private, no-cache',
  vary: 'authorization, x-api-key, cookie, accept-encoding',
} as const

/** The cache of a browser stores nothing of a browser session: nothing is left there after signing out. */
export const isKept = ({ caller }: FastifyRequest): boolean => caller?.means.kind !== 'cookie'

/** All names in one header, each once: `writeHead` replaces values that another part of the server set before. */
export function varyOf(raw: ServerResponse, parts: readonly (string | undefined)[]): string {
  const before = raw.getHeader('vary')
  const given = parts.filter((part) => part !== undefined && part !== '')
  // The usual case: nothing to join.
  if (before === undefined && given.length <= 1) return given[0] ?? ''
  const names = [String(before ?? ''), ...given].flatMap((part) => part?.split(', ') ?? [])
  return [...new Set(names.filter((name) => name !== ''))].join(', ')
}
