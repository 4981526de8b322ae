/** How much of a file is read. Each is a whole number; over a limit is a named refusal, never a silent cut. */
export interface ExtractionLimits {
  /** Pages of a PDF, slides of a presentation, sheets of a workbook, parts of a book. */
  readonly maxPages: number
  /** Longest extracted text, in UTF-16 units. */
  readonly maxTextUnits: number
  /** Entries in an archive (the office formats and EPUB are archives), read or not. */
  readonly maxArchiveEntries: number
  /** Bytes that the entries which are read may come to, unpacked. */
  readonly maxArchiveBytes: number
  /** Unpacked to packed bytes of one entry; small entries may exceed it. */
  readonly maxArchiveRatio: number
}

/**
 * The largest office files that people really have stay far below these: an XML of a worksheet packs 10 to 60 times, and
 * a text of 20 million units is a shelf of books. These limits are our choice.
 */
export const defaultExtractionLimits: ExtractionLimits = {
  maxPages: 10_000,
  maxTextUnits: 20_000_000,
  maxArchiveEntries: 20_000,
  maxArchiveBytes: 512 * 1024 * 1024,
  maxArchiveRatio: 300,
}
