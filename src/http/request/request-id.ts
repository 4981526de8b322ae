import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const sane = /^[A-Za-z0-9_.:/+=-]{1,128}$/

/**
 * The id of a request in responses and in the log: the caller's own `X-Request-Id` if it is short and plain, otherwise a random id. A
 * counter would reveal how many requests other callers send.
 */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && sane.test(given) ? given : randomUUID()
}
