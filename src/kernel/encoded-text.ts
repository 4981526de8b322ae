/**
 * A text as its UTF-8 bytes, not decoded: PostgreSQL's output is sent unchanged. Decoding a page of records and encoding it again for the
 * entity tag, the length and the socket would cost more than all other work on it.
 */
export class EncodedText {
  /** Each byte as one character. */
  readonly latin1: string

  constructor(latin1: string) {
    this.latin1 = latin1
  }

  get bytes(): Buffer {
    return Buffer.from(this.latin1, 'latin1')
  }

  toString(): string {
    return isAscii(this.latin1) ? this.latin1 : this.bytes.toString('utf8')
  }
}

export const encodeText = (text: string): EncodedText =>
  new EncodedText(isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1'))

const beyondAscii = /[\x80-\uffff]/

const isAscii = (text: string): boolean => !beyondAscii.test(text)
