import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCredentials } from './read-credentials.ts'

const basic = (text: string) => `Basic ${Buffer.from(text, 'utf8').toString('base64')}`
const read = (authorization?: string, apiKey?: string) => readCredentials({ authorization, apiKey })
const rejection = (reason: 'missing' | 'malformed') => ({ ok: false, error: { kind: 'unauthenticated', reason } })
const pair = (userName: string, password: string) => ({ ok: true, value: { kind: 'password', userName, password } })
const key = (text: string) => ({ ok: true, value: { kind: 'key', key: text } })

test('nothing, or nothing but spaces, is a missing credential', () => {
  expect(read()).toEqual(rejection('missing'))
  expect(read('  ', '')).toEqual(rejection('missing'))
  expect(read(undefined, '  ')).toEqual(rejection('missing'))
})

test('Bearer and X-API-Key carry a key; the scheme is read in any case', () => {
  expect(read('Bearer abc-_9')).toEqual(key('abc-_9'))
  expect(read('bearer  abc ')).toEqual(key('abc'))
  expect(read(undefined, ' abc ')).toEqual(key('abc'))
  expect(read('Bearer one', 'two')).toEqual(key('one'))
})

test('Basic carries a user name without a colon and a password with any character, in UTF-8', () => {
  expect(read(basic('anna:secret'))).toEqual(pair('anna', 'secret'))
  expect(read(basic('анна:па:роль:'))).toEqual(pair('анна', 'па:роль:'))
  expect(read(basic('anna:'))).toEqual(pair('anna', ''))
  expect(read(basic(':x'))).toEqual(pair('', 'x'))
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (userName, password) => {
      fc.pre(!userName.includes(':') && userName.isWellFormed() && password.isWellFormed())
      expect(read(basic(`${userName}:${password}`))).toEqual(pair(userName, password))
    }),
  )
})

test.each([
  'Bearer',
  'Bearer a b',
  'Basic',
  'Basic ***',
  `Basic ${Buffer.from('no colon').toString('base64')}`,
  `Basic ${Buffer.from([0x61, 0x3a, 0xff]).toString('base64')}`,
  'Digest username="anna"',
  'Negotiate abc',
  ':',
])('%s is malformed', (header) => {
  expect(read(header)).toEqual(rejection('malformed'))
})

test('any header at all is read or rejected, never thrown at', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.option(fc.string({ unit: 'binary' }), { nil: undefined }), (a, b) => {
      expect(typeof read(a, b).ok).toBe('boolean')
    }),
  )
})
