import { isUtf8 } from 'node:buffer'

/** A text, or the place of the first invalid byte. */
export type Utf8 =
  | { readonly ok: true; readonly text: string }
  /** In UTF-16 units of the text before it: where an editor shows it. */
  | { readonly ok: false; readonly position: number }

/** Decodes UTF-8 strictly: an invalid byte must not become a replacement character in the database. */
export function readUtf8(bytes: Buffer): Utf8 {
  if (isUtf8(bytes)) return { ok: true, text: bytes.toString('utf8') }
  return { ok: false, position: bytes.toString('utf8', 0, soundLength(bytes)).length }
}

/** Bytes before the first invalid one (Unicode, table 3-7). */
function soundLength(bytes: Buffer): number {
  let at = 0
  for (;;) {
    const length = characterLength(bytes, at)
    if (length === 0) return at
    at += length
  }
}

/** Bytes of the character that begins here; 0: invalid. */
function characterLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0xff
  if (first < 0x80) return 1
  if (first < 0xc2 || first > 0xf4) return 0
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  const [min, max] = secondByte.get(first) ?? [0x80, 0xbf]
  for (let next = 1; next < length; next++) {
    const byte = bytes[at + next] ?? 0
    if (next === 1 ? byte < min || byte > max : byte < 0x80 || byte > 0xbf) return 0
  }
  return length
}

/** Second bytes with narrower bounds: overlong encodings, surrogates, code points beyond Unicode. */
const secondByte: ReadonlyMap<number, readonly [min: number, max: number]> = new Map([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
])
