import fc from 'fast-check'
import { expect, test } from 'vitest'
import { networkOfAddress } from './network-of-address.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:207', '192.0.2.7'],
  ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8::1%eth0', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1::8', '1:0:0:0::/64'],
  ['', ''],
  ['/run/docket.sock', '/run/docket.sock'],
])('%s counts as %s', (address, network) => {
  expect(networkOfAddress(address)).toBe(network)
})

test('addresses of one /64 count together, those of two do not', () => {
  const group = fc.integer({ min: 0, max: 0xffff }).map((n) => n.toString(16))
  const prefix = fc.tuple(fc.constant('2001'), group, group, group)
  const host = fc.tuple(group, group, group, group)
  fc.assert(
    fc.property(prefix, prefix, host, host, (one, other, first, second) => {
      const of = (network: readonly string[], rest: readonly string[]) =>
        networkOfAddress([...network, ...rest].join(':'))
      expect(of(one, first)).toBe(of(one, second))
      expect(of(one, first) === of(other, first)).toBe(one.join() === other.join())
    }),
  )
})
