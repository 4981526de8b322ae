import iconv from 'iconv-lite'

const decoders = new Map<string, InstanceType<typeof TextDecoder> | null>()

/** Decodes bytes in an encoding that `charsetLabel` gave. What means nothing becomes U+FFFD or a control character. */
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

/**
 * The name of an encoding that we can decode: the label of the Encoding standard, or what iconv-lite calls it.
 *
 * @returns undefined when nobody knows the name
 */
export function charsetLabel(name: string): string | undefined {
  const asked = name.trim().toLowerCase()
  try {
    const { encoding } = new TextDecoder(asked)
    return encoding === 'replacement' || encoding === 'x-user-defined' ? undefined : encoding
  } catch {
    const known = asked.replace(/^x-/, '').replace(/^(?:cp|ms|windows|dos|ibm)[-_]?(?=\d{3}$)/, 'ibm')
    return /^[\w:.-]{2,40}$/.test(known) && !notCharsets.has(known) && iconv.encodingExists(known) ? known : undefined
  }
}

/** Names that iconv-lite knows and that are no encodings of texts. */
const notCharsets: ReadonlySet<string> = new Set(['base64', 'hex', 'binary', 'internal', 'utf-7-imap', 'utf7imap'])
