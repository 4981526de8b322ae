/**
 * A text as its UTF-8 bytes, not decoded: PostgreSQL's output is sent unchanged. Decoding a page of records and encoding it again for the
 * entity tag, the length and the socket would cost more than all other work on it.
 */
export class EncodedText {
  /** Each byte as one character. Not put together before it is sent: V8 would copy the whole text once more. */
  readonly #parts: readonly string[]

  constructor(...parts: readonly string[]) {
    this.#parts = parts
  }

  /** Each byte as one character. */
  get latin1(): string {
    let text = ''
    for (const part of this.#parts) text += part
    return text
  }

  /** In bytes. */
  get length(): number {
    let bytes = 0
    for (const part of this.#parts) bytes += part.length
    return bytes
  }

  /** The text between two others, each byte of which is one character, too. */
  within(before: string, after: string): EncodedText {
    return new EncodedText(before, ...this.#parts, after)
  }

  /** @returns how many bytes were written; those that do not fit are left out */
  writeTo(bytes: Buffer): number {
    let at = 0
    for (const part of this.#parts) at += bytes.write(part, at, 'latin1')
    return at
  }

  get bytes(): Buffer {
    return Buffer.from(this.latin1, 'latin1')
  }

  toString(): string {
    return decodeCharacters(this.latin1)
  }
}

export const encodeText = (text: string): EncodedText =>
  new EncodedText(isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1'))

/** @param latin1 UTF-8, each byte as one character */
export const decodeCharacters = (latin1: string): string =>
  isAscii(latin1) ? latin1 : Buffer.from(latin1, 'latin1').toString('utf8')

const beyondAscii = /[\x80-\uffff]/

const isAscii = (text: string): boolean => !beyondAscii.test(text)
