import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const sane = /^[A-Za-z0-9_.:/+=-]{1,128}$/

/**
 * Names a request in answers and in the log: the caller's own `X-Request-Id` when it is short and plain, else one that no
 * other process and no earlier run gives.
 */
export function requestIdMaker(): (request: Pick<IncomingMessage, 'headers'>) => string {
  const prefix = randomBytes(6).toString('base64url')
  let count = 0
  return ({ headers }) => {
    const given = headers['x-request-id']
    if (typeof given === 'string' && sane.test(given)) return given
    count++
    return `${prefix}-${count.toString(36)}`
  }
}
