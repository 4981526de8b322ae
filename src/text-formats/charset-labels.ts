import iconv from 'iconv-lite'

const decoders = new Map<string, InstanceType<typeof TextDecoder> | null>()

/** Decodes bytes in an encoding that `charsetLabel` returned. Invalid bytes become U+FFFD or a control character. */
export function decodeBytes(bytes: Uint8Array, label: string): string {
  return decoderOf(label)?.decode(bytes) ?? iconv.decode(bytes, label)
}

/** @returns null: only iconv-lite knows the encoding */
function decoderOf(label: string): InstanceType<typeof TextDecoder> | null {
  let decoder = decoders.get(label)
  if (decoder === undefined) {
    decoder = makeDecoder(label)
    decoders.set(label, decoder)
  }
  return decoder
}

function makeDecoder(label: string): InstanceType<typeof TextDecoder> | null {
  try {
    return new TextDecoder(label)
  } catch {
    return null
  }
}

/** Decodes a text in parts. */
export interface Decoding {
  /** @returns the text up to the first invalid byte; `isWhole` is false if there is one */
  take(piece: Uint8Array): DecodedPiece
  /** The rest after the last part. */
  end(): DecodedPiece
}

interface DecodedPiece {
  readonly text: string
  readonly isWhole: boolean
}

/** Decodes parts of bytes in an encoding that `charsetLabel` returned. A byte order mark is kept. */
export function startDecoding(label: string): Decoding {
  return makeDecoder(label) === null ? decodeByTables(label) : decodeByStandard(label)
}

function decodeByStandard(label: string): Decoding {
  const strict = new TextDecoder(label, { ignoreBOM: true, fatal: true })
  const lenient = new TextDecoder(label, { ignoreBOM: true })
  const decode = (piece?: Uint8Array): DecodedPiece => {
    const options = { stream: piece !== undefined }
    // Both decode every part: a character may begin in one part and end in the next.
    const text = lenient.decode(piece, options)
    try {
      return { text: strict.decode(piece, options), isWhole: true }
    } catch {
      return beforeReplacement(text)
    }
  }
  return { take: decode, end: () => decode() }
}

/** No table of iconv-lite maps valid bytes to U+FFFD. */
function decodeByTables(label: string): Decoding {
  const decoder = iconv.getDecoder(label, { stripBOM: false })
  const checked = (text: string): DecodedPiece =>
    text.includes('\uFFFD') ? beforeReplacement(text) : { text, isWhole: true }
  return {
    take: (piece) => checked(decoder.write(Buffer.from(piece))),
    end: () => checked(decoder.end() ?? ''),
  }
}

function beforeReplacement(text: string): DecodedPiece {
  return { text: text.slice(0, Math.max(0, text.indexOf('\uFFFD'))), isWhole: false }
}

/**
 * The name of an encoding that we can decode: the label of the Encoding standard, or the name in iconv-lite.
 *
 * @returns undefined for an unknown name
 */
export function charsetLabel(name: string): string | undefined {
  const requested = name.trim().toLowerCase()
  try {
    const { encoding } = new TextDecoder(requested)
    return encoding === 'replacement' || encoding === 'x-user-defined' ? undefined : encoding
  } catch {
    const known = requested.replace(/^x-/, '').replace(/^(?:cp|ms|windows|dos|ibm)[-_]?(?=\d{3}$)/, 'ibm')
    return /^[\w:.-]{2,40}$/.test(known) && !notCharsets.has(known) && iconv.encodingExists(known) ? known : undefined
  }
}

/** Names of iconv-lite that are not text encodings. */
const notCharsets: ReadonlySet<string> = new Set(['base64', 'hex', 'binary', 'internal', 'utf-7-imap', 'utf7imap'])
