import { hash as digest, randomBytes } from 'node:crypto'

/**
 * A keyed hash whose keys are of this process and never stored: what is remembered reveals no password. Two hashes, one
 * inside the other, each with a key of its own (NMAC, which HMAC is made from), because Node's HMAC objects cost 12 µs and
 * this 2: Basic costs what Bearer costs.
 */
export function keyedMarks(): (text: string) => string {
  const [outer, inner] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
  return (text) => digest('sha256', outer + digest('sha256', inner + text, 'base64'), 'base64')
}

/**
 * 16 bits of a password's keyed hash, to recognise the same wrong password of one user. Whoever reads the database excludes
 * 65,535 of 65,536 guesses at a wrong password, and no guess at the right one. Without the key, nobody finds two passwords of
 * one mark.
 */
export function markOfWrongPassword(secret: string, userName: string, password: string): number {
  const text = JSON.stringify([secret, userName.toLowerCase(), password])
  return Number.parseInt(digest('sha256', text, 'hex').slice(0, 4), 16)
}
