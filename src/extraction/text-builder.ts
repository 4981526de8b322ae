import type { Format } from '../text-formats/media-types.ts'
import { cleanText } from './clean-text.ts'
import type { Block, BlockKind, ExtractedText, Flag, FlagKind } from './extracted-text.ts'
import type { ExtractionLimits } from './extraction-limits.ts'
import { unreadable } from './rejection.ts'

/** The place of a row in its table. Without either it continues the table of the previous row. */
export interface RowPlace {
  readonly beginsTable?: boolean
  /** The document marks it as a header row. */
  readonly isHeader?: boolean
}

export interface BlockDetails extends RowPlace {
  /** For the kinds that open a section. */
  readonly level?: number | undefined
}

/** Takes the blocks of a text, in reading order. */
export interface TextSink {
  /** Cleans the text and adds it; adds nothing if no visible text is left. */
  add(kind: BlockKind, text: string, details?: BlockDetails): void
  /** Cleans a text and adds it as a whole; `blocksOf` returns its blocks. */
  addWhole(text: string, blocksOf: (cleaned: string) => Iterable<PlainBlock>): void
  /**
   * The following blocks are on this page. Rejects a page over the limit.
   *
   * @param isInBlock the next block began on the previous page
   */
  turnToPage(page: number, isInBlock?: boolean): void
  /** @param details affected pages, parts or encodings; each is listed once */
  flag(kind: FlagKind, count?: number, details?: readonly (string | number)[]): void
  /** An attachment of this name was not read. */
  missAttachment(name: string): void
}

/** Builds a text from its blocks. The only producer of `ExtractedText`. */
export interface TextBuilder extends TextSink {
  finish(about: AboutText): ExtractedText
}

/** A block without its heading path yet. */
export interface PlainBlock extends RowPlace {
  readonly from: number
  readonly to: number
  readonly kind: BlockKind
  readonly level?: number
  /** The text of a heading, if it differs from its range (Markdown marks). */
  readonly heading?: string
}

export interface AboutText {
  /** The format that determines the expected amount of text; absent: that of the media type. */
  readonly expectedAs?: Format
  readonly mediaType: string
  readonly language?: string | undefined
  readonly title?: string | undefined
  readonly pages?: number | undefined
}

/**
 * Above this number, small adjacent blocks of a kind are merged, and headings no longer open sections: neither a table of a
 * million rows nor a list of a million headings may become a million objects.
 */
const manyBlocks = 50_000
const smallBlockUnits = 1_000
/** Further attachments are counted but not named. */
const maxNamedDetails = 100

export function createTextBuilder(limits: ExtractionLimits): TextBuilder {
  const parts: string[] = []
  const blocks: Block[] = []
  const flags = new Map<FlagKind, number>()
  const detailsOf = new Map<FlagKind, Set<string | number>>()
  const path = createHeadingPath()
  const missed: string[] = []
  let units = 0
  let page: number | undefined
  /** The page on which the next block began, if it continues across a page end. */
  let begunOn: number | undefined

  const write = (text: string): void => {
    units += text.length
    if (units > limits.maxTextUnits)
      throw unreadable('too-much-text', `more than ${limits.maxTextUnits} characters of text`)
    parts.push(text)
  }
  const flag = (kind: FlagKind, count = 1, details: readonly (string | number)[] = []): void => {
    if (count <= 0) return
    flags.set(kind, (flags.get(kind) ?? 0) + count)
    const named = detailsOf.get(kind) ?? new Set()
    for (const detail of details) if (named.size < maxNamedDetails) named.add(detail)
    if (named.size > 0) detailsOf.set(kind, named)
  }
  const clean = (raw: string): string => {
    const cleaned = cleanText(raw)
    for (const { kind, count } of cleaned.flags) flag(kind, count)
    return cleaned.text
  }
  const push = (requested: PlainBlock, heading: string): void => {
    const isOneTooMany = blocks.length > manyBlocks && requested.kind === 'heading'
    if (isOneTooMany) path.leave()
    const {
      from,
      to,
      kind,
      level,
      beginsTable = false,
      isHeader = false,
    } = isOneTooMany ? textOf(requested) : requested
    const headingPath = level === undefined ? path.now() : path.open(level, heading)
    const block: Block = {
      from,
      to,
      kind,
      headingPath,
      ...(level === undefined ? {} : { level }),
      ...pages(),
      ...(beginsTable ? { beginsTable } : {}),
      ...(isHeader ? { isHeader } : {}),
    }
    const last = blocks.at(-1)
    if (last !== undefined && blocks.length > manyBlocks && areAlike(last, block))
      blocks[blocks.length - 1] = { ...last, to }
    else blocks.push(block)
  }
  /** The pages of the next block. */
  const pages = (): Pick<Block, 'page' | 'pageTo'> => {
    const first = begunOn ?? page
    begunOn = undefined
    if (first === undefined || page === undefined) return {}
    return first === page ? { page } : { page: first, pageTo: page }
  }

  return {
    add(kind, raw, { level, ...row } = {}) {
      const text = trimBlock(clean(raw), kind)
      if (text === '') {
        begunOn = undefined
        return
      }
      if (units > 0) write(separator(blocks.at(-1)?.kind, kind))
      const from = units
      write(text)
      push(
        { from, to: units, kind, ...row, ...(level === undefined ? {} : { level: clampLevel(level) }) },
        oneLine(text),
      )
    },
    addWhole(raw, blocksOf) {
      const text = clean(raw)
      if (units > 0) write('\n\n')
      const start = units
      write(text)
      for (const block of blocksOf(text)) {
        const heading = block.heading ?? oneLine(text.slice(block.from, block.to))
        push({ ...block, from: start + block.from, to: start + block.to }, heading)
      }
    },
    turnToPage(next, isInBlock = false) {
      if (next > limits.maxPages) throw unreadable('too-many-pages', `more than ${limits.maxPages} pages`)
      begunOn = isInBlock ? (begunOn ?? page) : undefined
      page = next
    },
    flag,
    missAttachment(name) {
      const displayed = oneLine(clean(name))
      flag('attachments-not-read', 1, displayed === '' ? [] : [displayed])
      if (missed.length < maxNamedDetails) missed.push(displayed)
    },
    finish: ({ mediaType, language, title, pages }) => {
      const heading = title === undefined || title.trim() === '' ? firstHeading(blocks) : oneLine(clean(title))
      return {
        text: parts.join(''),
        mediaType,
        ...(/^[a-z]{2,3}(?![a-z])/i.test(language ?? '') ? { language: primaryTag(language ?? '') } : {}),
        ...(heading === undefined || heading === '' ? {} : { title: heading }),
        ...(pages === undefined ? {} : { pages }),
        blocks,
        flags: [...flags].map(([kind, count]): Flag => {
          const details = detailsOf.get(kind)
          return { kind, count, ...(details === undefined ? {} : { details: [...details] }) }
        }),
        ...(missed.length === 0 ? {} : { attachmentsNotRead: missed }),
      }
    },
  }
}

/** Small adjacent blocks that may be merged. */
function areAlike(last: Block, next: Block): boolean {
  return (
    next.level === undefined &&
    next.beginsTable !== true &&
    next.pageTo === undefined &&
    last.kind === next.kind &&
    last.page === next.page &&
    last.headingPath === next.headingPath &&
    next.to - last.from <= smallBlockUnits
  )
}

/** Turns a heading into a paragraph. */
function textOf({ from, to }: PlainBlock): PlainBlock {
  return { from, to, kind: 'paragraph' }
}

/** `de-AT` and `de_AT` become `de`. */
function primaryTag(language: string): string {
  return language.toLowerCase().split(/[-_]/)[0] ?? ''
}

/**
 * Maximum length of titles and headings in a path: enough for any real one, short enough for a malicious one that is repeated a
 * thousand times.
 */
const maxHeadingUnits = 300

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= maxHeadingUnits
    ? line
    : line
        .slice(0, maxHeadingUnits)
        .toWellFormed()
        .replace(/\ufffd$/, '')
}

function clampLevel(level: number): number {
  return Math.min(9, Math.max(1, Math.trunc(level)))
}

function trimBlock(text: string, kind: BlockKind): string {
  if (kind === 'code') return text.replace(/^(?:[^\S\n]*\n)+|\s+$/g, '')
  return text.trim()
}

function separator(before: BlockKind | undefined, kind: BlockKind): string {
  return before === kind && (kind === 'table-row' || kind === 'list-item') ? '\n' : '\n\n'
}

/** The title of a text that declares none: its first top heading, if it begins with headings. */
function firstHeading([first]: readonly Block[]): string | undefined {
  return first?.level !== undefined && first.kind !== 'sheet' ? first.headingPath.at(-1) : undefined
}

interface HeadingPath {
  open(level: number, heading: string): readonly string[]
  /** The following text is under no heading. */
  leave(): void
  /** The same array until a heading opens: blocks share it. */
  now(): readonly string[]
}

const noHeadings: readonly string[] = []

function createHeadingPath(): HeadingPath {
  let open: readonly { readonly level: number; readonly heading: string }[] = []
  let path: readonly string[] = []
  return {
    open(level, heading) {
      open = [...open.filter((outer) => outer.level < level), { level, heading }]
      path = open.map((one) => one.heading)
      return path
    },
    leave() {
      open = []
      path = noHeadings
    },
    now: () => path,
  }
}
