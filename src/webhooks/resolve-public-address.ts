import { lookup } from 'node:dns/promises'
import {
  type IpAddress,
  isInNetwork,
  isPublicAddress,
  parseIpAddress,
  parseIpNetwork,
  withoutNat64,
} from '../kernel/ip-address.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'

/** A checked address. Requests connect to this address and do not resolve the name again. */
export interface Reachable {
  readonly url: URL
  readonly address: string
  readonly family: 4 | 6
}

export type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>
const lookupAll: Lookup = (host) => lookup(host, { all: true, verbatim: true })

/**
 * Resolves a host and returns its first address that webhooks may reach: a public one, or one of `allowed`.
 *
 * @param allowed private networks that may be reached, such as 10.1.0.0/16
 * @returns an error sentence if the host has no address, or none that may be reached
 */
export async function resolvePublicAddress(
  text: string,
  allowed: readonly string[],
  resolve: Lookup = lookupAll,
): Promise<Result<Reachable, string>> {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return fail('the address is not an http:// or https:// address')
  if (url.username !== '' || url.password !== '') return fail('the address holds credentials')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const found = await resolve(host).catch(() => [])
  const isAllowed = allows(allowed)
  const open = found
    .map(({ address }) => parseIpAddress(address))
    .filter((address) => address !== null)
    .map(withoutNat64)
    .find(isAllowed)
  // The same sentence for an unknown name and for a private address: a difference would reveal names of the private network.
  if (open === undefined) return fail(`${host} has no address that may be reached (setting DOCKET_WEBHOOK_NETWORKS)`)
  return succeed({ url, address: open.toString(), family: open.kind() === 'ipv6' ? 6 : 4 })
}

/** Private addresses are denied: the author of a webhook must not be able to probe the network of the server. */
function allows(networks: readonly string[]): (address: IpAddress) => boolean {
  const own = networks.map(parseIpNetwork).filter((network) => network !== null)
  return (address) => own.some((network) => isInNetwork(address, network)) || isPublicAddress(address)
}
