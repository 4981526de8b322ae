import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseIpAddress } from '../kernel/ip-address.ts'
import { resolvePublicAddress } from './resolve-public-address.ts'

const found =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address }))
const reach = (address: string, allowed: readonly string[] = []) =>
  resolvePublicAddress('https://hook.example/in', allowed, found(address))

describe('addresses that only this machine or its network can reach are rejected:', () => {
  test.each([
    '127.0.0.1',
    '127.8.9.1',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:a00:1',
    '64:ff9b::10.0.0.1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '2001:db8::1',
    '2002:7f00:1::',
  ])('%s', async (address) => {
    expect((await reach(address)).ok).toBe(false)
  })
})

test.each(['93.184.216.34', '8.8.8.8', '172.32.0.1', '2606:4700::1', '::ffff:8.8.8.8'])(
  '%s is reached',
  async (address) => {
    expect(await reach(address)).toMatchObject({ ok: true, value: { address: parseIpAddress(address)?.toString() } })
  },
)

test('an operator may open networks, in whatever form an address of them comes', async () => {
  expect((await reach('10.1.2.3', ['10.1.0.0/16'])).ok).toBe(true)
  expect((await reach('::ffff:10.1.2.3', ['10.1.0.0/16'])).ok).toBe(true)
  expect((await reach('10.2.2.3', ['10.1.0.0/16'])).ok).toBe(false)
  expect((await reach('fd00::5', ['fd00::/8', '127.0.0.1'])).ok).toBe(true)
})

test('of several addresses the first open one is taken, and it is the one to connect to', async () => {
  const reached = await resolvePublicAddress('https://two.example', [], found('10.0.0.1', '1.1.1.1'))
  expect(reached).toMatchObject({ ok: true, value: { address: '1.1.1.1', family: 4 } })
})

test('numbers written otherwise are the addresses that they are', async () => {
  for (const host of ['2130706433', '0x7f.1', '017700000001', '127.1']) {
    expect((await resolvePublicAddress(`http://${host}/`, [])).ok).toBe(false)
  }
})

test.each([
  ['ftp://hook.example', 'the address is not an http:// or https:// address'],
  ['no address', 'the address is not an http:// or https:// address'],
  ['https://user:secret@hook.example', 'the address holds credentials'],
])('%s is rejected', async (url, error) => {
  expect(await resolvePublicAddress(url, [], found('8.8.8.8'))).toEqual({ ok: false, error })
})

test('a name without an address is rejected', async () => {
  expect(await resolvePublicAddress('https://nobody.example', [], found())).toEqual({
    ok: false,
    error: 'nobody.example has no address that may be reached (setting DOCKET_WEBHOOK_NETWORKS)',
  })
})

test('every IPv4 address is judged alike as itself and mapped to IPv6', async () => {
  await fc.assert(
    fc.asyncProperty(fc.ipV4(), async (address) => {
      const [plain, dressed] = [await reach(address), await reach(`::ffff:${address}`)]
      expect(dressed.ok).toBe(plain.ok)
    }),
  )
})
