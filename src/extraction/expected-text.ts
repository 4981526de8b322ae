import type { Format } from '../text-formats/media-types.ts'

/** From which file size on, in bytes, a format is expected to give how many characters per byte. */
export interface ExpectedText {
  readonly charactersPerByte: number
  readonly fromBytes: number
}

/**
 * Thresholds below which fewer than one in fifty ordinary files of the format stay: embedded pictures and fonts count as bytes,
 * so the share is small for formats that contain them. Published in docs/documents.md.
 */
export const expectedTexts: Readonly<Record<Format, ExpectedText>> = {
  text: { charactersPerByte: 0.2, fromBytes: 1_000 },
  markdown: { charactersPerByte: 0.2, fromBytes: 1_000 },
  code: { charactersPerByte: 0.2, fromBytes: 1_000 },
  csv: { charactersPerByte: 0.1, fromBytes: 1_000 },
  tsv: { charactersPerByte: 0.1, fromBytes: 1_000 },
  json: { charactersPerByte: 0.05, fromBytes: 1_000 },
  jsonl: { charactersPerByte: 0.05, fromBytes: 1_000 },
  xml: { charactersPerByte: 0.01, fromBytes: 2_000 },
  html: { charactersPerByte: 0.005, fromBytes: 2_000 },
  eml: { charactersPerByte: 0.0005, fromBytes: 20_000 },
  rtf: { charactersPerByte: 0.001, fromBytes: 20_000 },
  pdf: { charactersPerByte: 0.0005, fromBytes: 20_000 },
  docx: { charactersPerByte: 0.0005, fromBytes: 20_000 },
  odt: { charactersPerByte: 0.0005, fromBytes: 20_000 },
  xlsx: { charactersPerByte: 0.001, fromBytes: 20_000 },
  ods: { charactersPerByte: 0.001, fromBytes: 20_000 },
  pptx: { charactersPerByte: 0.0002, fromBytes: 50_000 },
  odp: { charactersPerByte: 0.0002, fromBytes: 50_000 },
  epub: { charactersPerByte: 0.0005, fromBytes: 20_000 },
}

/** @param characters letters and digits of the extracted text, with the characters between them */
export function isLittleText(format: Format, characters: number, bytes: number): boolean {
  const { charactersPerByte, fromBytes } = expectedTexts[format]
  return bytes >= fromBytes && characters < bytes * charactersPerByte
}

/** Whether a search can find anything in it. */
export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}
