import { isIP } from 'node:net'

/**
 * What counts as one place that logins come from: an IPv4 address, or the /64 of an IPv6 address (one customer has at
 * least that much, and may use another address for each attempt). An IPv4 address dressed as IPv6 is the IPv4 address.
 *
 * @returns a text that is equal for equal networks; something that is no address (a Unix socket) stands for itself
 */
export function networkOfAddress(address: string): string {
  const [bare = ''] = address.trim().split('%')
  if (isIP(bare) !== 6) return bare.toLowerCase()
  const groups = groupsOf(bare)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight numbers of a valid IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = withoutDots(address).split('::')
  const left = numbersOf(head)
  const right = numbersOf(tail ?? '')
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right]
}

const numbersOf = (text: string): readonly number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))

/** `::ffff:1.2.3.4` → `::ffff:102:304` */
function withoutDots(address: string): string {
  return address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
}
