import type { Format } from '../text-formats/media-types.ts'

/** From how many bytes on a file of the format is expected to give how many characters for each of its bytes. */
export interface ExpectedText {
  readonly charactersPerByte: number
  readonly fromBytes: number
}

/**
 * What less than one in fifty ordinary files of the format stays below: pictures and fonts in a file count as bytes, so the
 * share is small where a format holds them. Published in docs/documents.md.
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

/** @param characters of the extracted text that are letters or digits or stand between them */
export function isLittleText(format: Format, characters: number, bytes: number): boolean {
  const { charactersPerByte, fromBytes } = expectedTexts[format]
  return bytes >= fromBytes && characters < bytes * charactersPerByte
}

/** Whether there is anything in it that a search can find. */
export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}
