/** The bytes are no text of the encoding that was named. */
export class EncodingTrouble extends Error {}

/** What helps. */
export const expectedText = 'text in the encoding that is named (charset of the Content-Type; UTF-8 without one)'

type Decoder = InstanceType<typeof TextDecoder>

/**
 * A decoder of an encoding by its name in the web's list (utf-8, windows-1251, koi8-r, utf-16le, …).
 *
 * @returns null when there is none of this name
 */
export function decoderOf(encoding: string): Decoder | null {
  try {
    return new TextDecoder(encoding, { ignoreBOM: true, fatal: true })
  } catch {
    return null
  }
}

/**
 * Bytes as text, piece by piece. A letter that is none ends it: marks of replacement in its place would be written into records
 * without a word.
 *
 * @throws EncodingTrouble behind the text that stands before the wrong byte
 */
export async function* decodeText(bytes: AsyncIterable<unknown>, decoder: Decoder): AsyncGenerator<string> {
  const lenient = new TextDecoder(decoder.encoding, { ignoreBOM: true })
  const takeStrictly = (piece?: Uint8Array): string | null => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined })
    } catch {
      return null
    }
  }
  for await (const piece of bytes) {
    const text = takeStrictly(piece as Uint8Array)
    const guessed = text ?? lenient.decode(piece as Uint8Array, { stream: true })
    if (text === null) {
      yield guessed.slice(0, Math.max(0, guessed.indexOf('\uFFFD')))
      throw troubleWith(decoder)
    }
    yield text
  }
  const last = takeStrictly()
  if (last === null) throw troubleWith(decoder)
  yield last
}

const troubleWith = ({ encoding }: Decoder): EncodingTrouble => new EncodingTrouble(`bytes that are no ${encoding}`)
