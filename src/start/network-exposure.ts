import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import type { Settings } from '../config/settings.ts'
import { isLoopback, parseIpAddress } from '../kernel/ip-address.ts'
import { StartFailure } from '../kernel/start-failure.ts'

/** Whether other machines can connect to `host`: it has an address that is not loopback, or it is a wildcard. */
export async function isBeyondLoopback(host: string): Promise<boolean> {
  const addresses = await lookup(host, { all: true })
  return addresses.some(({ address }) => {
    const parsed = parseIpAddress(address)
    return parsed === null || !isLoopback(parsed)
  })
}

export interface PublicDemo {
  readonly settings: Pick<Settings, 'host' | 'demo'>
  /** User names that have a published password. */
  readonly usersWithPublicPasswords: readonly string[]
  /** The first start of this database has not decided about the demo yet. */
  readonly isDemoUndecided: boolean
}

/**
 * Rejects a start that would let other machines sign in with published passwords, unless DOCKET_DEMO=on allows it.
 *
 * @throws StartFailure with both solutions
 */
export function rejectPublicDemo({ settings, usersWithPublicPasswords, isDemoUndecided }: PublicDemo): void {
  const { host, demo } = settings
  if (demo === 'on') return
  const where = `DOCKET_HOST is ${host}, which other machines can reach`
  if (usersWithPublicPasswords.length > 0) {
    const names = usersWithPublicPasswords.join(', ')
    throw new StartFailure(
      `${where}, and the demo users ${names} have published passwords: remove the demo with "docket demo remove", or set DOCKET_DEMO=on to serve it all the same.`,
      { exitCode: 2 },
    )
  }
  if (isDemoUndecided && demo === undefined) {
    throw new StartFailure(
      `${where}, and the first start creates demo users with published passwords: set DOCKET_DEMO=off to start without them, or DOCKET_DEMO=on to serve them all the same.`,
      { exitCode: 2 },
    )
  }
}

/** Address for people: a wildcard is replaced by the first address of this machine that others can reach. */
export function reachableAddress(address: string, host: string): string {
  const isIpv6 = host === '::'
  if (host !== '0.0.0.0' && !isIpv6) return address
  const outside = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, address: each }) => !internal && !each.startsWith('fe80:'))
    .filter(({ family }) => isIpv6 || family === 'IPv4')
  // Dual-stack: IPv4 callers reach `::` too, and an IPv4 address is easier to type.
  const found = outside.find(({ family }) => family === 'IPv4') ?? outside[0]
  if (found === undefined) return address
  const url = new URL(address)
  url.hostname = found.family === 'IPv6' ? `[${found.address}]` : found.address
  return url.origin
}
