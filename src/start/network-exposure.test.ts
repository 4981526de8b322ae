import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { isBeyondLoopback, reachableAddress, rejectPublicDemo } from './network-exposure.ts'

test.each([
  ['127.0.0.1', false],
  ['127.9.9.9', false],
  ['localhost', false],
  ['::1', false],
  ['::ffff:127.0.0.1', false],
  ['0.0.0.0', true],
  ['::', true],
  ['192.0.2.1', true],
  ['2001:db8::1', true],
  ['::ffff:192.0.2.1', true],
])('whether other machines reach %s: %s', async (host, isBeyond) => {
  expect(await isBeyondLoopback(host)).toBe(isBeyond)
})

const names = ['anna.petrova']

test.each([
  // An installed demo, whatever the first start decided.
  { demo: undefined, names, undecided: false, rejected: 'docket demo remove' },
  { demo: 'off', names, undecided: false, rejected: 'docket demo remove' },
  { demo: 'off', names, undecided: true, rejected: 'docket demo remove' },
  { demo: 'on', names, undecided: false, rejected: null },
  // A demo that this start would install.
  { demo: undefined, names: [], undecided: true, rejected: 'DOCKET_DEMO=off' },
  { demo: 'off', names: [], undecided: true, rejected: null },
  { demo: 'on', names: [], undecided: true, rejected: null },
  { demo: undefined, names: [], undecided: false, rejected: null },
] as const)(
  'a start on the network is rejected with a cure, or not: %o',
  ({ demo, names: users, undecided, rejected }) => {
    const start = () =>
      rejectPublicDemo({
        settings: { host: '0.0.0.0', demo },
        usersWithPublicPasswords: users,
        isDemoUndecided: undecided,
      })
    if (rejected === null) expect(start).not.toThrow()
    else {
      expect(start).toThrow(rejected)
      expect(start).toThrow('DOCKET_DEMO=on')
    }
  },
)

test('a wildcard is shown as an address of this machine', () => {
  const outside = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const hasOther = outside.some(({ internal, family }) => !internal && family === 'IPv4')
  const address = reachableAddress('http://127.0.0.1:8080', '0.0.0.0')
  expect(address).toMatch(/^http:\/\/\d+\.\d+\.\d+\.\d+:8080$/)
  expect(address).not.toContain('0.0.0.0')
  expect(address.includes('127.0.0.1')).toBe(!hasOther)
  expect(reachableAddress('http://192.0.2.1:8080', '192.0.2.1')).toBe('http://192.0.2.1:8080')
})
