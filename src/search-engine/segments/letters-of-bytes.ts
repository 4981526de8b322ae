import { u8 } from './segment.ts'

/** Code point of the character at an offset of valid UTF-8. */
export function letterAt(bytes: Uint8Array, at: number): number {
  const first = u8(bytes, at)
  if (first < 0x80) return first
  const second = u8(bytes, at + 1) & 0x3f
  if (first < 0xe0) return ((first & 0x1f) << 6) | second
  const third = u8(bytes, at + 2) & 0x3f
  if (first < 0xf0) return ((first & 0x0f) << 12) | (second << 6) | third
  return ((first & 0x07) << 18) | (second << 12) | (third << 6) | (u8(bytes, at + 3) & 0x3f)
}

/** Bytes of a character in UTF-8. */
export function sizeOfLetter(letter: number): number {
  if (letter < 0x80) return 1
  if (letter < 0x8_00) return 2
  return letter < 0x1_00_00 ? 3 : 4
}
