import { startDecoding } from './charset-labels.ts'

/** The bytes are not valid in the named encoding. */
export class InvalidEncoding extends Error {}

/** The expected input, for the error message. */
export const expectedText = 'text in the encoding that is named (charset of the Content-Type; UTF-8 without one)'

/**
 * Decodes bytes to text in parts. Invalid bytes end it: U+FFFD in their place would be written into records silently.
 *
 * @param label as `charsetLabel` returns it
 * @throws InvalidEncoding after the text before the invalid byte
 */
export async function* decodeStream(bytes: AsyncIterable<unknown>, label: string): AsyncGenerator<string> {
  const decoding = startDecoding(label)
  for await (const piece of bytes) yield* wholeText(decoding.take(piece as Uint8Array), label)
  yield* wholeText(decoding.end(), label)
}

function* wholeText({ text, isWhole }: { readonly text: string; readonly isWhole: boolean }, label: string) {
  yield text
  if (!isWhole) throw new InvalidEncoding(`bytes that are not ${label}`)
}
