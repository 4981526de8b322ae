/** The result of extraction: the input of chunking, the index and the responses. */
export interface ExtractedText {
  /**
   * The whole text in reading order, `\n` line ends, NFC, without control and invisible characters, without lone
   * surrogates. Blocks and chunks are ranges into it.
   */
  readonly text: string
  /** The format of the content, independent of the file name: `application/pdf`, `text/markdown`, `text/x-python` … */
  readonly mediaType: string
  /** As the document declares it: a lower-case ISO 639 code. Detection is in `detect-language.ts`. */
  readonly language?: string
  /** As the document declares it, or its first top heading. */
  readonly title?: string
  /** Pages of a PDF or a text with form feeds, slides of a presentation, sheets of a workbook. Absent: not paged. */
  readonly pages?: number
  /** In order, not overlapping; between two blocks there is only white space. */
  readonly blocks: readonly Block[]
  /** What was removed or replaced. Empty for an ordinary file. */
  readonly flags: readonly Flag[]
  /** Names of a mail's attachments whose text is missing here. Absent: none. Limited to 100. */
  readonly attachmentsNotRead?: readonly string[]
}

/** A unit of the text. */
export interface Block {
  /** Offset into the text, in UTF-16 units. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly kind: BlockKind
  /** 1 (top) to 9, for the three kinds that open a section: `heading`, `slide`, `sheet`. */
  readonly level?: number
  /** The page on which it begins, from 1. */
  readonly page?: number
  /** The page on which it ends, if it differs. */
  readonly pageTo?: number
  /** For a row: it is the first of its table. */
  readonly beginsTable?: boolean
  /** For a row: the document marks it as a header row. */
  readonly isHeader?: boolean
  /** The headings above, outermost first. A block that opens a section is part of its own path. */
  readonly headingPath: readonly string[]
}

/** `slide` and `sheet` are title lines; they open a section like a heading. */
export type BlockKind =
  | 'heading'
  | 'slide'
  | 'sheet'
  | 'paragraph'
  | 'list-item'
  | 'table-row'
  | 'code'
  | 'quote'
  /** Footnotes and speaker notes, outside of the main text. */
  | 'note'

export interface Flag {
  readonly kind: FlagKind
  /** Number of characters, passages or parts. */
  readonly count: number
  /** Pages, parts or encoding, if known. */
  readonly details?: readonly (string | number)[]
}

export type FlagKind =
  /** Zero-width and format characters, removed. */
  | 'invisible-characters'
  /** Marks that change the writing direction, removed. */
  | 'bidi-controls'
  /** Unicode tag characters and sequences of variation selectors, which can carry an invisible text; removed. */
  | 'smuggled-characters'
  /** Control characters other than tab and line end, removed. */
  | 'control-characters'
  /** Passages that a reader of the document does not see (hidden runs, slides, sheets, HTML, comments), removed. */
  | 'hidden-text'
  /** Bytes that are invalid in the encoding, and lone surrogates; each became U+FFFD. */
  | 'undecodable'
  /** Pages of a PDF without text, among others with text. */
  | 'pages-without-text'
  /** Less text than usual for the size and format of the file: `expected-text.ts`. */
  | 'little-text'
  /** The encoding is not declared; `details` has the one that was used. */
  | 'encoding-guessed'
  /** Attachments of a mail, and documents inside another, that could not be read; the names of attachments are in the text. */
  | 'attachments-not-read'
