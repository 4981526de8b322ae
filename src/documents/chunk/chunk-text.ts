/**
 * Splits an extracted text into chunks: first by structure, then by size where a part is larger than a chunk.
 *
 *  sections   split at headings, slides, sheets and page ends; small neighbours under one heading are merged
 *  pieces     whole blocks of a section; a block that is too long is split at paragraphs, lines, sentences, words, graphemes
 *  chunks     pieces of one section merged to about equal sizes, never over the limit
 */
import type { Block, BlockKind } from '../../extraction/extracted-text.ts'
import { type ChunkContext, createContexts } from './chunk-context.ts'
import { lastSentenceStart, type Piece, splitRange } from './split-range.ts'

/** A passage that is found and quoted as a unit. Offsets into the extracted text, in UTF-16 units; `to` is exclusive. */
export interface Chunk extends ChunkContext {
  /** From 0, in reading order. */
  readonly index: number
  readonly from: number
  readonly to: number
  /** From 1: the page on which the part begins that no earlier chunk contains. */
  readonly page?: number
  /** The headings above the whole chunk, outermost first. */
  readonly headingPath: readonly string[]
}

export interface ChunkSizes {
  /** Longest chunk, in UTF-16 units (not tokens). */
  readonly maxUnits: number
  /**
   * A chunk that continues running text begins with the last sentence of the previous chunk, if that sentence is not
   * longer than this.
   */
  readonly overlapUnits: number
}

/** About one or two paragraphs: long enough to contain an answer, short enough to quote. The limits are our choice. */
export const defaultChunkSizes: ChunkSizes = { maxUnits: 1_000, overlapUnits: 200 }
export const minChunkUnits = 100

/**
 * @param blocks ranges of the text in order; text between two blocks belongs to the earlier one. None: the text is one
 * paragraph.
 * @returns chunks that together cover the whole text in order. None is longer than `maxUnits`. Surrogate pairs are
 * never split; a grapheme is split only if it alone is longer than `maxUnits`. The same input gives the same chunks.
 * @throws RangeError when the sizes contradict each other: a setting is wrong, not the document
 */
export function chunkText(
  text: string,
  blocks: readonly Block[],
  sizes: ChunkSizes = defaultChunkSizes,
): readonly Chunk[] {
  const { maxUnits, overlapUnits } = sizes
  if (!(maxUnits >= minChunkUnits) || !(overlapUnits >= 0) || !(overlapUnits <= maxUnits / 2)) {
    throw new RangeError(
      `chunks of ${maxUnits} units with an overlap of ${overlapUnits}: at least ${minChunkUnits}, and an overlap of at most half`,
    )
  }
  if (text === '') return []
  const spans = spansOf(text, blocks)
  const sections = joinSmallSections(cutSections(spans), maxUnits)
  const contextOf = createContexts(text, spans)
  const chunks: Chunk[] = []
  for (const section of sections) {
    for (const chunk of packSection(text, section, sizes, chunks.at(-1)))
      chunks.push({ index: chunks.length, ...chunk, ...contextOf(chunk.from, chunk.to) })
  }
  return chunks
}

/** A block with the white space after it, so that spans cover the text without gaps. */
type Span = Block

function spansOf(text: string, blocks: readonly Block[]): readonly Span[] {
  const spans: Span[] = []
  for (const [index, block] of blocks.entries()) {
    const from = spans.length === 0 ? 0 : block.from
    const to = blocks[index + 1]?.from ?? text.length
    if (to > from) spans.push({ ...block, from, to })
  }
  return spans.length > 0 ? spans : [{ from: 0, to: text.length, kind: 'paragraph', headingPath: [] }]
}

/** Adjacent spans under the same heading on the same page. */
interface Section {
  readonly spans: readonly Span[]
  readonly units: number
  readonly headingPath: readonly string[]
  readonly page?: number
  /** A slide or a sheet never shares a chunk with the text before it. */
  readonly standsAlone: boolean
}

const standsAlone = (kind: BlockKind): boolean => kind === 'slide' || kind === 'sheet'
const opensSection = (kind: BlockKind): boolean => kind === 'heading' || standsAlone(kind)

function cutSections(spans: readonly Span[]): readonly Section[] {
  const sections: Section[] = []
  let open: Span[] = []
  for (const span of spans) {
    const last = open.at(-1)
    // A heading directly below another does not start a section, so no chunk is a bare heading.
    const isNewHeading =
      last !== undefined && (standsAlone(span.kind) || (span.kind === 'heading' && !opensSection(last.kind)))
    const isNewPage = last !== undefined && span.page !== last.page
    if (isNewHeading || isNewPage) {
      sections.push(sectionOf(open))
      open = []
    }
    open.push(span)
  }
  if (open.length > 0) sections.push(sectionOf(open))
  return sections
}

function sectionOf(spans: readonly Span[]): Section {
  const [first] = spans
  const page = first?.page
  return {
    spans,
    units: (spans.at(-1)?.to ?? 0) - (first?.from ?? 0),
    headingPath: commonPath(spans.filter(({ kind }, index) => !opensSection(kind) || index === spans.length - 1)),
    ...(page === undefined ? {} : { page }),
    standsAlone: first !== undefined && standsAlone(first.kind),
  }
}

function commonPath(parts: readonly { readonly headingPath: readonly string[] }[]): readonly string[] {
  const [first, ...others] = parts
  if (first === undefined) return []
  let length = first.headingPath.length
  for (const { headingPath } of others) {
    let same = 0
    while (same < length && headingPath[same] === first.headingPath[same]) same++
    length = same
  }
  return first.headingPath.slice(0, length)
}

/** Sections below this share of a chunk are too small to be found by their own text. */
const smallShare = 0.25

function joinSmallSections(sections: readonly Section[], maxUnits: number): readonly Section[] {
  const joined: Section[] = []
  for (const section of sections) {
    const last = joined.at(-1)
    const isSmall = last !== undefined && Math.min(last.units, section.units) < maxUnits * smallShare
    if (isSmall && !section.standsAlone && last.units + section.units <= maxUnits) {
      joined[joined.length - 1] = {
        ...last,
        spans: [...last.spans, ...section.spans],
        units: last.units + section.units,
        headingPath: commonPath([last, section]),
      }
    } else joined.push(section)
  }
  return joined
}

type UnnumberedChunk = Omit<Chunk, 'index'>

function packSection(
  text: string,
  section: Section,
  sizes: ChunkSizes,
  before: Chunk | undefined,
): readonly UnnumberedChunk[] {
  const { maxUnits, overlapUnits } = sizes
  const { headingPath, page } = section
  const inSection = { headingPath, ...(page === undefined ? {} : { page }) }
  // Equal shares: 1,100 units become two chunks of 550, not one of 1,000 and a remainder with little content.
  const shareUnits = section.units / Math.ceil(section.units / maxUnits)
  const chunks: UnnumberedChunk[] = []
  let last: Piece | undefined
  let isContinued = before !== undefined && continuesText(before, section)
  let from = section.spans[0]?.from ?? 0
  let start = from
  for (const piece of cutSpans(text, section.spans, maxUnits)) {
    if (last !== undefined && (piece.to - from > maxUnits || last.to - start >= shareUnits)) {
      chunks.push({ from, to: last.to, ...inSection })
      isContinued = last.isRunningText && piece.isRunningText
      start = last.to
      last = undefined
    }
    if (last === undefined) {
      const earlier = chunks.at(-1) ?? before
      const overlapFrom =
        isContinued && earlier ? lastSentenceStart(text, earlier.from, piece.from, overlapUnits) : piece.from
      from = piece.to - overlapFrom <= maxUnits ? overlapFrom : piece.from
      start = piece.from
    }
    last = piece
  }
  if (last !== undefined) chunks.push({ from, to: last.to, ...inSection })
  return chunks
}

/** The pieces of a section. The first piece after a heading is small enough to share a chunk with the heading. */
function cutSpans(text: string, spans: readonly Span[], maxUnits: number): readonly Piece[] {
  let headingUnits = 0
  return spans.flatMap((span) => {
    const pieces = splitRange(text, span, Math.max(maxUnits - headingUnits, maxUnits / 2))
    headingUnits = opensSection(span.kind) ? headingUnits + span.to - span.from : 0
    return pieces
  })
}

/** Whether the page ended in the middle of a text. */
function continuesText(before: Chunk, section: Section): boolean {
  const [first] = section.spans
  return first?.kind === 'paragraph' && samePath(before.headingPath, section.headingPath)
}

function samePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((heading, index) => heading === other[index])
}
