import ipaddr from 'ipaddr.js'

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6

/** All addresses that share the first `bits` bits with `base`. */
export interface IpNetwork {
  readonly base: IpAddress
  readonly bits: number
}

/**
 * Parses an address in its usual form. Short, octal and hexadecimal IPv4 forms are invalid here. A zone (`%eth0`) is ignored.
 *
 * @returns null: the text is not an address. An IPv4-mapped address is the IPv4 address (lesson: Directus CVE-2026-35409)
 */
export function parseIpAddress(text: string): IpAddress | null {
  const [address = ''] = text.split('%')
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address)
  return ipaddr.IPv6.isValid(address) ? ipaddr.process(address) : null
}

/** @param text a network such as `10.0.0.0/8`, or an address. @returns null: it is neither */
export function parseIpNetwork(text: string): IpNetwork | null {
  const [address = '', bits, ...rest] = text.split('/')
  const base = parseIpAddress(address)
  if (base === null || rest.length > 0) return null
  const maxBits = base.kind() === 'ipv4' ? 32 : 128
  if (bits === undefined) return { base, bits: maxBits }
  return /^\d{1,3}$/.test(bits) && Number(bits) <= maxBits ? { base, bits: Number(bits) } : null
}

export function isInNetwork(address: IpAddress, { base, bits }: IpNetwork): boolean {
  return address.kind() === base.kind() && address.match(base, bits)
}

/** The IPv4 address to which a NAT64 gateway (64:ff9b::/96) translates an IPv6 address; otherwise the address itself. */
export function withoutNat64(address: IpAddress): IpAddress {
  if (!(address instanceof ipaddr.IPv6) || !isInNetwork(address, NAT64)) return address
  return new ipaddr.IPv4(address.toByteArray().slice(12))
}

const NAT64: IpNetwork = { base: ipaddr.IPv6.parse('64:ff9b::'), bits: 96 }
/** What IANA assigns as global unicast addresses of IPv6. */
const GLOBAL_IPV6: IpNetwork = { base: ipaddr.IPv6.parse('2000::'), bits: 3 }

/** Whether an address is on the public internet: no loopback, private, link-local, reserved or translated address. */
export function isPublicAddress(address: IpAddress): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isInNetwork(address, GLOBAL_IPV6))
}

export function isLoopback(address: IpAddress): boolean {
  return address.range() === 'loopback'
}
