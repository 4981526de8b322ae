/** What extraction makes of a file: the value that chunking, the index and the answers are built upon. */
export interface ExtractedText {
  /**
   * The whole text in reading order, `\n` line ends, NFC, without control and invisible characters, without lone
   * surrogates. Blocks and chunks are ranges into it.
   */
  readonly text: string
  /** What the content is, whatever the file was called: `application/pdf`, `text/markdown`, `text/x-python` … */
  readonly mediaType: string
  /** As the document itself declares it: a lower-case ISO 639 code. Guessing is `chunk/detect-language.ts`. */
  readonly language?: string
  /** As the document declares it, or its first top heading. */
  readonly title?: string
  /** Pages of a PDF or a text with form feeds, slides of a presentation, sheets of a workbook. Absent: not paged. */
  readonly pages?: number
  /** In order, not overlapping; what lies between two blocks is white space. */
  readonly blocks: readonly Block[]
  /** What was taken out or replaced. Empty for an ordinary file. */
  readonly flags: readonly Flag[]
  /** Names of the attachments of a mail whose text is missing here. Absent: none. At most 100, however many there are. */
  readonly attachmentsNotRead?: readonly string[]
}

/** A piece of the text that belongs together. */
export interface Block {
  /** Offset into the text, in UTF-16 units. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly kind: BlockKind
  /** 1 (top) to 9, of the three kinds that open a section: `heading`, `slide`, `sheet`. */
  readonly level?: number
  /** Where it begins, from 1. */
  readonly page?: number
  /** Where it ends, if that is another page. */
  readonly pageTo?: number
  /** Of a row: the first of its table. */
  readonly beginsTable?: boolean
  /** Of a row: the document marks it as one that says what the columns are. */
  readonly isHeader?: boolean
  /** The headings above, outermost first. A block that opens a section stands in its own path. */
  readonly headingPath: readonly string[]
}

/** `slide` and `sheet` are the title line of one; they open a section as a heading does. */
export type BlockKind =
  | 'heading'
  | 'slide'
  | 'sheet'
  | 'paragraph'
  | 'list-item'
  | 'table-row'
  | 'code'
  | 'quote'
  /** Footnotes and speaker notes: beside the main text. */
  | 'note'

export interface Flag {
  readonly kind: FlagKind
  /** How many characters, passages or parts. */
  readonly count: number
  /** Which pages, parts or encoding, where that is known. */
  readonly details?: readonly (string | number)[]
}

export type FlagKind =
  /** Zero-width and format characters, taken out. */
  | 'invisible-characters'
  /** Marks that turn the writing direction, taken out. */
  | 'bidi-controls'
  /** Unicode tag characters and runs of variation selectors, which can carry a text that nobody sees; taken out. */
  | 'smuggled-characters'
  /** Control characters other than tab and line end, taken out. */
  | 'control-characters'
  /** Passages that a reader of the document does not see (hidden runs, slides, sheets, HTML, comments), taken out. */
  | 'hidden-text'
  /** Bytes that mean nothing in the encoding, and lone surrogates; each became U+FFFD. */
  | 'undecodable'
  /** Pages of a PDF that hold no text, among others that do. */
  | 'pages-without-text'
  /** Less text than files of this size and format have: `expected-text.ts`. */
  | 'little-text'
  /** Nobody said which encoding the bytes are in; `details` names the one that was taken. */
  | 'encoding-guessed'
  /** Attachments of a mail, and documents inserted in another, that could not be read; the names of attachments are in the text. */
  | 'attachments-not-read'
