import { randomInt } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import type { ProblemOf } from '../kernel/problem.ts'

// OWASP's first choice for argon2id: 19 MiB and two passes, about 25 ms on one core. With more memory, a few simultaneous logins would fill
// a small machine; less would help a thief of the hashes. argon2id is the library's default algorithm.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** In characters (code points). NIST SP 800-63B requires at least eight; the upper bound only keeps hashing cheap. */
const passwordLength = { min: 8, max: 1_024 } as const

/**
 * A password as it is stored: PHC text with its own salt and cost. For a column of type `password` of any table; a text that looks like a
 * hash is hashed like any other, so nobody can write a hash of their own.
 */
export function hashPassword(password: string): Promise<string> {
  return hash(prepare(password), cost)
}

/**
 * Takes the same time for a user that does not exist (`stored` null), has no password, or has an invalid hash, as for a wrong password:
 * otherwise the time would reveal which users exist.
 */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  if (stored?.startsWith('$argon2') && !isTooLong(password)) {
    const matches = await verify(stored, prepare(password)).catch(() => undefined)
    if (matches !== undefined) return matches
  }
  await verify(hashOfNobody, isTooLong(password) ? '' : prepare(password))
  return false
}

/**
 * Our rules: 8 to 1,024 characters, not the user name, not one repeated character. Classes of characters are not required; they make
 * passwords worse (NIST SP 800-63B, 5.1.1.2).
 *
 * @param userName of the password's owner, if it has one
 */
export function passwordProblem(password: string, userName = ''): ProblemOf<'invalid-value'> | undefined {
  const characters = [...password]
  const rejections: readonly (readonly [boolean, string])[] = [
    [characters.length < passwordLength.min, `a password has at least ${passwordLength.min} characters`],
    [characters.length > passwordLength.max, `a password has at most ${passwordLength.max} characters`],
    [new Set(characters).size === 1, 'a password is more than one character over and over'],
    [password.toLowerCase() === userName.toLowerCase(), 'a password differs from the user name'],
  ]
  const rejection = rejections.find(([applies]) => applies)
  return rejection === undefined ? undefined : { kind: 'invalid-value', field: 'password', detail: rejection[1] }
}

const isTooLong = (password: string): boolean => password.length > passwordLength.max * 2

/** RFC 8265: one composed form, so that `й` typed on a Mac equals `й` typed elsewhere. */
const prepare = (password: string): string => password.normalize('NFC')

/**
 * What passwords of unknown users are compared with: salt and cost as of any password, and a result that no password is known to have. Written down instead of
 * hashed at each start: a comparison computes the same for any result.
 */
const hashOfNobody = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${unpadded(Buffer.alloc(16, 'nobody'))}$${unpadded(Buffer.alloc(32))}`

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

/** Without letters and digits that look alike: people read it from a terminal and type it. */
const letters = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** A generated password: 20 characters, 115 random bits. */
export function makePassword(): string {
  return Array.from({ length: 20 }, () => letters[randomInt(letters.length)]).join('')
}
