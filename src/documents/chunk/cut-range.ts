import type { BlockKind } from '../../extraction/extracted-text.ts'

/** A range that is not cut further. */
export interface Piece {
  readonly from: number
  readonly to: number
  /** Sentences that follow each other, unlike rows, items and lines of code. */
  readonly isRunningText: boolean
}

interface Range {
  readonly from: number
  readonly to: number
  readonly kind: BlockKind
}

/**
 * Cuts a range into pieces of at most `maxUnits`, at the loosest joint that does: the whole, paragraphs, lines (of code, rows
 * and items) or sentences, words, graphemes. The pieces cover the range in order.
 */
export function cutRange(text: string, { from, to, kind }: Range, maxUnits: number): readonly Piece[] {
  const isRunningText = kind === 'paragraph' || kind === 'quote' || kind === 'note'
  const start = graphemeStart(text, from, maxUnits)
  const end = graphemeStart(text, to, maxUnits)
  if (end <= start) return []
  const whole = [{ from: start, to: end }]
  const joints = isRunningText ? [paragraphEnds, sentenceEnds, wordEnds] : [lineEnds, sentenceEnds, wordEnds]
  const ranges = joints.reduce<readonly Cut[]>((pieces, ends) => cutLong(text, pieces, ends, maxUnits), whole)
  return cutLong(text, ranges, (piece) => graphemeEnds(piece, maxUnits), maxUnits).map((cut) => ({
    ...cut,
    isRunningText,
  }))
}

type Cut = Omit<Piece, 'isRunningText'>

/** Cuts the too long ones at `ends`, then puts neighbours together as long as they fit. */
function cutLong(
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

// ── joints: offsets after which a piece may end, rising ──

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

/** The segmenter ends a sentence at every line end; in a text that is wrapped by hand that is no end. Same length. */
function asOneLine(piece: string): string {
  return piece.replace(/(?<!\n)\n(?![^\S\n]*\n)/g, ' ')
}

/** Every cut as late as the limit allows. */
function* graphemeEnds(piece: string, maxUnits: number): Generator<number> {
  let from = 0
  while (piece.length - from > maxUnits) {
    // A grapheme begins at `from`, so that nothing before it needs to be looked at.
    const kept = graphemes.segment(piece.slice(from, from + maxUnits + 2)).containing(maxUnits)?.index ?? 0
    from = kept > 0 ? from + kept : codePointStart(piece, from + maxUnits)
    yield from
  }
}

// ── places where nothing is cut apart ──

/** How far back a safe place is looked for. Further than any grapheme of a real text; bounds the work on a forged one. */
const lookBackUnits = 10_000

/**
 * The start of the grapheme that holds offset `at`, or `at` itself where one begins. A grapheme longer than `maxUnits` may
 * be cut, between two code points.
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

/** Whether a grapheme surely begins at `at`, told by the two characters alone: nearly always, and cheaply. */
function isPlainJoint(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  if (before === 0x0d || !standsAlone(before)) return false
  return isLatinOrCyrillic(text.charCodeAt(at)) || !extendsGrapheme.test(text.slice(at, at + 2))
}

function isLatinOrCyrillic(unit: number): boolean {
  return unit < 0x300 || (unit >= 0x400 && unit < 0x483)
}

/** Characters that never pull the next one to them: Latin, Cyrillic, dashes and quotes, Han and Kana with their marks. */
function standsAlone(unit: number): boolean {
  return isLatinOrCyrillic(unit) || (unit > 0x200f && unit < 0x2028) || (unit > 0x3000 && unit < 0xa000)
}

/** At the start: marks, joiners, Thai and Lao AM, half-width voicing marks, skin tones, tags. */
const extendsGrapheme = /^(?:\u200c|\u200d|[\p{M}\u0e33\u0eb3\uff9e\uff9f]|\p{Emoji_Modifier}|[\u{e0020}-\u{e007f}])/u

function codePointStart(text: string, at: number): number {
  const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00
  return isLow && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 ? at - 1 : at
}

/**
 * Where the last sentence before `to` begins, if it is running text of at most `maxUnits`, not the whole of it; else `to`.
 *
 * @param from start of the passage whose last sentence is asked for
 */
export function lastSentenceStart(text: string, from: number, to: number, maxUnits: number): number {
  // One sentence more than fits must be seen, to know that the last one is whole.
  const windowFrom = graphemeStart(text, Math.max(from, to - 2 * maxUnits - 2), maxUnits)
  const window = asOneLine(text.slice(windowFrom, to))
  let start: number | undefined
  for (const { index, segment } of sentences.segment(window)) if (segment.trim() !== '') start = index
  if (start === undefined || start === 0) return to
  const found = graphemeStart(text, windowFrom + start, maxUnits)
  return to - found <= maxUnits && found > from ? found : to
}
