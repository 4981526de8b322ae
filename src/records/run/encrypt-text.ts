import { createCipheriv, randomBytes } from 'node:crypto'

/** Encrypts a text of an `encrypted` column. @param place table and column */
export type Seal = (text: string, place: string) => string

/**
 * AES-256-GCM. The result is `v1.` and three base64url parts: nonce, tag, ciphertext. Its place is authenticated, so that the text
 * cannot be moved to another column.
 *
 * @param key 32 bytes
 */
export function makeSeal(key: Buffer): Seal {
  return (text, place) => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    cipher.setAAD(Buffer.from(place))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return ['v1', ...[nonce, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url'))].join('.')
  }
}
