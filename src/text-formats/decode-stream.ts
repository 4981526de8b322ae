import { startDecoding } from './charset-labels.ts'

/** The bytes are no text of the encoding that was named. */
export class InvalidEncoding extends Error {}

/** What helps. */
export const expectedText = 'text in the encoding that is named (charset of the Content-Type; UTF-8 without one)'

/**
 * Bytes as text, piece by piece. Bytes that are no character end it: U+FFFD in their place would be written into records without
 * a word.
 *
 * @param label as `charsetLabel` gives it
 * @throws InvalidEncoding behind the text that stands before the wrong byte
 */
export async function* decodeStream(bytes: AsyncIterable<unknown>, label: string): AsyncGenerator<string> {
  const decoding = startDecoding(label)
  for await (const piece of bytes) yield* wholeText(decoding.take(piece as Uint8Array), label)
  yield* wholeText(decoding.end(), label)
}

function* wholeText({ text, isWhole }: { readonly text: string; readonly isWhole: boolean }, label: string) {
  yield text
  if (!isWhole) throw new InvalidEncoding(`bytes that are no ${label}`)
}
