import { verify } from '@node-rs/argon2'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { hashPassword, passwordProblem, verifyPassword } from './passwords.ts'

vi.mock('@node-rs/argon2', { spy: true })

describe('a stored password', () => {
  test('is an argon2id hash of 19 MiB and two passes with a salt of its own', async () => {
    const [first, second] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(second).not.toBe(first)
  })

  test('is matched by the same password only, in any script, composed or not', async () => {
    const stored = await hashPassword('пароль: й и é')
    expect(await verifyPassword(stored, 'пароль: й и é')).toBe(true)
    expect(await verifyPassword(stored, 'пароль: й и é'.normalize('NFD'))).toBe(true)
    expect(await verifyPassword(stored, 'пароль: и и é')).toBe(false)
    expect(await verifyPassword(stored, '')).toBe(false)
    expect(await verifyPassword(stored, 'п'.repeat(1_000_000))).toBe(false)
  })

  test('that is missing, or no hash, is matched by nothing, not even by itself', async () => {
    for (const stored of [null, '', 'plain text', '$argon2id$broken', '$2b$10$abcdefghijklmnopqrstuv'])
      expect(await verifyPassword(stored, stored ?? '')).toBe(false)
  })

  test('that is missing is compared as long as any other: with a hash of the same cost and sizes', async () => {
    const shapeOf = (hash: string): string => hash.replace(/[^$]{22}\$[^$]{43}$/, 'salt and result')
    const stored = await hashPassword('correct horse')
    vi.mocked(verify).mockClear()
    for (const each of [stored, null, 'plain text']) await verifyPassword(each, 'wrong horse')
    const compared = vi.mocked(verify).mock.calls.map(([hash, password]) => [shapeOf(String(hash)), password])
    expect(compared).toEqual(Array(3).fill(['$argon2id$v=19$m=19456,t=2,p=1$salt and result', 'wrong horse']))
  })

  test('is hashed even when it looks like a hash', async () => {
    const forged = await hashPassword('known to the forger')
    const stored = await hashPassword(forged)
    expect(await verifyPassword(stored, 'known to the forger')).toBe(false)
    expect(await verifyPassword(stored, forged)).toBe(true)
  })
})

describe('the password policy', () => {
  const rejected: readonly (readonly [string, string, string])[] = [
    ['1234567', 'anna', 'a password has at least 8 characters'],
    ['', 'anna', 'a password has at least 8 characters'],
    ['😀😀😀😀', 'anna', 'a password has at least 8 characters'],
    ['ab'.repeat(513), 'anna', 'a password has at most 1024 characters'],
    ['aaaaaaaaaa', 'anna', 'a password is more than one character over and over'],
    ['Anna.Petrova', 'anna.petrova', 'a password differs from the user name'],
  ]
  test.each(rejected)('rejects %j of %s: %s', (password, userName, detail) => {
    expect(passwordProblem(password, userName)).toEqual({ kind: 'invalid-value', field: 'password', detail })
  })

  test('takes any other text of 8 to 1,024 characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 8, maxLength: 60 }), (password) => {
        fc.pre(new Set(password).size > 1)
        expect(passwordProblem(password, 'anna')).toBeUndefined()
      }),
    )
  })
})
