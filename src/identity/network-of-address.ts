import { parseIpAddress } from '../kernel/ip-address.ts'

/**
 * The network whose failed logins count together: an IPv4 address, or the /64 of an IPv6 address. One customer has at least a /64, and can
 * use another address of it for each attempt.
 *
 * @returns equal texts for equal networks. A text that is not an address (a Unix socket) is its own network
 */
export function networkOfAddress(text: string): string {
  const address = parseIpAddress(text.trim())
  if (address === null) return text.trim().toLowerCase()
  if (address.kind() === 'ipv4') return address.toString()
  const [a, b, c, d] = address.toNormalizedString().split(':')
  return `${a}:${b}:${c}:${d}::/64`
}
