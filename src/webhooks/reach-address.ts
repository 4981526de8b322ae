import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { type Result, refuse, succeed } from '../kernel/result.ts'

/** Where a request may go: an address that was looked at, to be connected to as it is and not looked up again. */
export interface Reachable {
  readonly url: URL
  readonly address: string
  readonly family: 4 | 6
}

/** What this server can reach and others cannot: whoever writes a webhook must not look into it by one. */
const CLOSED: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]
/** Of the global unicast addresses of IPv6, those that are documentation or stand for IPv4 addresses. */
const CLOSED_6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]
const GLOBAL_6 = blockList([['2000::', 3]], 'ipv6')
const closed4 = blockList(CLOSED, 'ipv4')
const closed6 = blockList(CLOSED_6, 'ipv6')

function blockList(networks: typeof CLOSED, family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family)
  return list
}

export type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>
const lookupAll: Lookup = (host) => lookup(host, { all: true, verbatim: true })

/**
 * Looks a host up and holds every address that comes back against what is closed; the first open one is the one to connect to.
 *
 * @param allowed networks of the operator's own that may be reached, such as 10.1.0.0/16
 * @returns a refusal in words: no address, or none that may be reached
 */
export async function reachAddress(
  text: string,
  allowed: readonly string[],
  resolve: Lookup = lookupAll,
): Promise<Result<Reachable, string>> {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return refuse('the address is no http:// or https:// address')
  if (url.username !== '' || url.password !== '') return refuse('the address holds credentials')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const found = await resolve(host).catch(() => [])
  const isOpen = opener(allowed)
  const open = found.map(({ address }) => plainAddress(address)).find(isOpen)
  // The same sentence for an unknown name and for a private address: a difference would reveal names of the private network.
  if (open === undefined) return refuse(`${host} has no address that may be reached (setting DOCKET_WEBHOOK_NETWORKS)`)
  return succeed({ url, address: open, family: isIP(open) === 6 ? 6 : 4 })
}

function opener(allowed: readonly string[]): (address: string) => boolean {
  const own = new BlockList()
  for (const network of allowed) {
    const [base = '', prefix] = network.split('/')
    const isSix = isIP(base) === 6
    own.addSubnet(base, Number(prefix ?? (isSix ? 128 : 32)), isSix ? 'ipv6' : 'ipv4')
  }
  return (address) => {
    const family = isIP(address)
    if (family === 0) return false
    if (own.check(address, family === 6 ? 'ipv6' : 'ipv4')) return true
    return family === 4 ? !closed4.check(address) : GLOBAL_6.check(address, 'ipv6') && !closed6.check(address, 'ipv6')
  }
}

/** An IPv4 address dressed as IPv6 is the IPv4 address (lesson: Directus CVE-2026-35409). */
export function plainAddress(address: string): string {
  const [bare = ''] = address.split('%')
  if (isIP(bare) !== 6) return bare
  const written = new URL(`http://[${bare}]`).hostname.slice(1, -1)
  const mapped = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(written)
  if (mapped === null) return written
  return mapped
    .slice(1)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.')
}
