/** Limits for reading a file. Each is an integer; exceeding one is an error with its name, never a silent truncation. */
export interface ExtractionLimits {
  /** Pages of a PDF, slides of a presentation, sheets of a workbook, parts of a book. */
  readonly maxPages: number
  /** Longest extracted text, in UTF-16 units. */
  readonly maxTextUnits: number
  /** Entries in an archive (the office formats and EPUB are archives), read or not. */
  readonly maxArchiveEntries: number
  /** Total unpacked bytes of the entries that are read. */
  readonly maxArchiveBytes: number
  /** Ratio of unpacked to packed bytes of one entry; small entries may exceed it. */
  readonly maxArchiveRatio: number
}

/**
 * The largest real office files stay far below these: the XML of a worksheet has a ratio of 10 to 60, and a text of 20 million
 * units equals a shelf of books. These limits are our choice.
 */
export const defaultExtractionLimits: ExtractionLimits = {
  maxPages: 10_000,
  maxTextUnits: 20_000_000,
  maxArchiveEntries: 20_000,
  maxArchiveBytes: 512 * 1024 * 1024,
  maxArchiveRatio: 300,
}
