import type { BlockKind } from '../../extraction/extracted-text.ts'

/** A range that is not split further. */
export interface Piece {
  readonly from: number
  readonly to: number
  /** Consecutive sentences, unlike rows, items and lines of code. */
  readonly isRunningText: boolean
}

interface Range {
  readonly from: number
  readonly to: number
  readonly kind: BlockKind
}

/**
 * Splits a range into pieces of at most `maxUnits`, at the largest sufficient break: none, paragraphs, lines (of code,
 * rows and items) or sentences, words, graphemes. The pieces cover the range in order.
 */
export function splitRange(text: string, { from, to, kind }: Range, maxUnits: number): readonly Piece[] {
  const isRunningText = kind === 'paragraph' || kind === 'quote' || kind === 'note'
  const start = graphemeStart(text, from, maxUnits)
  const end = graphemeStart(text, to, maxUnits)
  if (end <= start) return []
  const whole = [{ from: start, to: end }]
  const joints = isRunningText ? [paragraphEnds, sentenceEnds, wordEnds] : [lineEnds, sentenceEnds, wordEnds]
  const ranges = joints.reduce<readonly Cut[]>((pieces, ends) => splitLong(text, pieces, ends, maxUnits), whole)
  return splitLong(text, ranges, (piece) => graphemeEnds(piece, maxUnits), maxUnits).map((cut) => ({
    ...cut,
    isRunningText,
  }))
}

type Cut = Omit<Piece, 'isRunningText'>

/** Splits pieces that are too long at `ends`, then merges neighbours as long as they fit. */
function splitLong(
  text: string,
  pieces: readonly Cut[],
  ends: (piece: string) => Iterable<number>,
  maxUnits: number,
): readonly Cut[] {
  if (pieces.every(({ from, to }) => to - from <= maxUnits)) return pieces
  const cut: Cut[] = []
  for (const piece of pieces) {
    if (piece.to - piece.from <= maxUnits) {
      cut.push(piece)
      continue
    }
    let from = piece.from
    for (const end of ends(text.slice(piece.from, piece.to))) {
      const to = graphemeStart(text, piece.from + end, maxUnits)
      if (to > from && to < piece.to) {
        cut.push({ from, to })
        from = to
      }
    }
    cut.push({ from, to: piece.to })
  }
  return cut
}

// ── breaks: ascending offsets after which a piece may end ──

function* matchEnds(piece: string, joint: RegExp): Generator<number> {
  for (const match of piece.matchAll(joint)) yield match.index + match[0].length
}

const paragraphEnds = (piece: string): Iterable<number> => matchEnds(piece, /\n[^\S\n]*\n\s*/g)
const lineEnds = (piece: string): Iterable<number> => matchEnds(piece, /\n+/g)
const wordEnds = (piece: string): Iterable<number> => matchEnds(piece, /\s+/g)

const sentences = new Intl.Segmenter('und', { granularity: 'sentence' })
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

function* sentenceEnds(piece: string): Generator<number> {
  for (const { index, segment } of sentences.segment(asOneLine(piece))) yield index + segment.length
}

/**
 * Replaces line ends by spaces of the same length. The segmenter ends a sentence at every line end, which is wrong in a
 * text that is wrapped by hand.
 */
function asOneLine(piece: string): string {
  return piece.replace(/(?<!\n)\n(?![^\S\n]*\n)/g, ' ')
}

/** Splits as late as the limit allows. */
function* graphemeEnds(piece: string, maxUnits: number): Generator<number> {
  let from = 0
  while (piece.length - from > maxUnits) {
    // A grapheme begins at `from`, so the text before it does not matter.
    const kept = graphemes.segment(piece.slice(from, from + maxUnits + 2)).containing(maxUnits)?.index ?? 0
    from = kept > 0 ? from + kept : codePointStart(piece, from + maxUnits)
    yield from
  }
}

// ── safe offsets: no grapheme is split there ──

/** How far back to search for a safe offset. Longer than any grapheme of a real text; bounds the work on a malicious one. */
const lookBackUnits = 10_000

/**
 * The start of the grapheme that contains offset `at`, or `at` itself if a grapheme begins there. A grapheme longer
 * than `maxUnits` may be split between two code points.
 */
export function graphemeStart(text: string, at: number, maxUnits: number): number {
  if (at <= 0 || at >= text.length || isPlainJoint(text, at)) return Math.min(Math.max(at, 0), text.length)
  const earliest = Math.max(0, at - lookBackUnits)
  let safe = at - 1
  while (safe > earliest && !isPlainJoint(text, safe)) safe--
  const from = codePointStart(text, safe)
  const found = from + (graphemes.segment(text.slice(from, at + 2)).containing(at - from)?.index ?? 0)
  return at - found > maxUnits ? codePointStart(text, at) : found
}

/** Whether a grapheme certainly begins at `at`, judged by two characters only: cheap, and enough in nearly all cases. */
function isPlainJoint(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  if (before === 0x0d || !standsAlone(before)) return false
  return isLatinOrCyrillic(text.charCodeAt(at)) || !extendsGrapheme.test(text.slice(at, at + 2))
}

function isLatinOrCyrillic(unit: number): boolean {
  return unit < 0x300 || (unit >= 0x400 && unit < 0x483)
}

/** Characters that never join with the next one: Latin, Cyrillic, dashes and quotes, Han and Kana with their marks. */
function standsAlone(unit: number): boolean {
  return isLatinOrCyrillic(unit) || (unit > 0x200f && unit < 0x2028) || (unit > 0x3000 && unit < 0xa000)
}

/** Matches at the start: marks, joiners, Thai and Lao AM, half-width voicing marks, skin tones, tags. */
const extendsGrapheme = /^(?:\u200c|\u200d|[\p{M}\u0e33\u0eb3\uff9e\uff9f]|\p{Emoji_Modifier}|[\u{e0020}-\u{e007f}])/u

function codePointStart(text: string, at: number): number {
  const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00
  return isLow && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 ? at - 1 : at
}

/**
 * Where the last sentence before `to` begins, if it is running text of at most `maxUnits` and not the whole passage;
 * otherwise `to`.
 *
 * @param from start of the passage
 */
export function lastSentenceStart(text: string, from: number, to: number, maxUnits: number): number {
  // The window must contain one sentence more than fits, to know that the last one is whole.
  const windowFrom = graphemeStart(text, Math.max(from, to - 2 * maxUnits - 2), maxUnits)
  const window = asOneLine(text.slice(windowFrom, to))
  let start: number | undefined
  for (const { index, segment } of sentences.segment(window)) if (segment.trim() !== '') start = index
  if (start === undefined || start === 0) return to
  const found = graphemeStart(text, windowFrom + start, maxUnits)
  return to - found <= maxUnits && found > from ? found : to
}
