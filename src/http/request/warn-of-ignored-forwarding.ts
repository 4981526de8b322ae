import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { networkOfAddress } from '../../identity/network-of-address.ts'
import type { Observe } from '../../telemetry/observation.ts'

const rememberedNetworks = 1_000
const everyMs = 3_600_000

/**
 * A hook that reports `X-Forwarded-For` of an address that is not a trusted proxy, once an hour for a network. The header is
 * ignored, so all callers behind that proxy count as one address, and failed logins of one throttle the others.
 */
export function warnOfIgnoredForwarding(observe: Observe) {
  const reported = new LRUCache<string, true>({ max: rememberedNetworks, ttl: everyMs })
  return (request: FastifyRequest, _reply: unknown, done: () => void): void => {
    if (request.headers['x-forwarded-for'] !== undefined && !isForwardingTrusted(request)) {
      const address = request.raw.socket.remoteAddress ?? ''
      const network = networkOfAddress(address)
      if (!reported.has(network)) {
        reported.set(network, true)
        observe({ kind: 'forwarding-ignored', address })
      }
    }
    done()
  }
}

/** Behind a trusted proxy Fastify lists the addresses of the header after that of the connection. */
const isForwardingTrusted = ({ ips }: FastifyRequest): boolean => ips !== undefined && ips.length > 1
