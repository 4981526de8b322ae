import { hash as digest, randomBytes } from 'node:crypto'

/**
 * A keyed hash whose keys belong to this process and are never stored: the cached value reveals no password. Two nested hashes, each with a
 * key of its own (NMAC, on which HMAC is based), because Node's HMAC objects cost 12 µs and this 2: Basic costs what Bearer costs.
 */
export function keyedMarks(): (text: string) => string {
  const [outer, inner] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
  return (text) => digest('sha256', outer + digest('sha256', inner + text, 'base64'), 'base64')
}

/**
 * 16 bits of a password's keyed hash, to recognise the same wrong password of one user. A reader of the database can exclude 65,535 of
 * 65,536 guesses at a wrong password, and no guess at the right one. Without the key, nobody finds two passwords with the same mark.
 */
export function markOfWrongPassword(secret: string, userName: string, password: string): number {
  const text = JSON.stringify([secret, userName.toLowerCase(), password])
  return Number.parseInt(digest('sha256', text, 'hex').slice(0, 4), 16)
}
