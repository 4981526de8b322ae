import { isIP } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isInNetwork, isPublicAddress, parseIpAddress, parseIpNetwork, withoutNat64 } from './ip-address.ts'

test('every address that the operating system accepts is an address, and short forms of IPv4 are not', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.ipV4Extended()), (text) => {
      expect(parseIpAddress(text) !== null).toBe(isIP(text) !== 0)
    }),
  )
  for (const text of ['127.1', '2130706433', '0x7f.0.0.1', '010.0.0.1', ' 1.2.3.4', '1.2.3.4.', '']) {
    expect(parseIpAddress(text)).toBe(null)
  }
})

test.each([
  ['10.0.0.0/8', '10.255.0.1', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['10.0.0.0/8', '::ffff:10.1.1.1', true],
  ['127.0.0.1', '127.0.0.1', true],
  ['fd00::/8', 'fd12::1', true],
  ['fd00::/8', '10.0.0.1', false],
])('the network %s and the address %s: %s', (network, address, isIn) => {
  const [parsed, of] = [parseIpAddress(address), parseIpNetwork(network)]
  expect(parsed !== null && of !== null && isInNetwork(parsed, of)).toBe(isIn)
})

test.each(['10.0.0.0/33', 'fd00::/129', '10.0.0.0/', '10.0.0/8', '10.0.0.0/8/8', '10.0.0.0/-1', '999.0.0.1', 'x'])(
  '%s is no network',
  (text) => expect(parseIpNetwork(text)).toBe(null),
)

/** Networks of RFC 6890 and of its successors: first and last address of each. */
test.each([
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
  ['::', '1fff:ffff::'],
  ['2001::', '2001:1ff:ffff::'],
  ['2001:db8::', '2001:db8:ffff::'],
  ['2002::', '2002:ffff::'],
  ['3fff::', '3fff:fff::'],
  ['4000::', 'ffff:ffff::'],
])('addresses from %s to %s are not public', (first, last) => {
  for (const text of [first, last]) {
    const address = parseIpAddress(text)
    expect(address !== null && isPublicAddress(address)).toBe(false)
  }
})

test('an address that NAT64 translates is the IPv4 address', () => {
  const address = parseIpAddress('64:ff9b::10.1.2.3')
  expect(address === null ? null : withoutNat64(address).toString()).toBe('10.1.2.3')
})
