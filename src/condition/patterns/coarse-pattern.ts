/** A value of a column, case-folded, with the share of all rows for which it stands. */
export interface SampledText {
  readonly text: string
  readonly share: number
}

/** Values of a column, from which the parts of three characters are taken once. */
export interface TextSample {
  readonly shares: readonly number[]
  /** By part: the indexes of the texts that have it. */
  readonly textsByPart: ReadonlyMap<string, ReadonlySet<number>>
}

/** What fewer rows have costs little to read and narrows the search most; and the sample does not show what they have in common. */
const RARE = 0.05
/** A part that more than this of all rows have, or of those that have another part, narrows a search hardly. */
const LEFT = 0.9
/** Later parts would hardly narrow the search any further. */
const MAX_PARTS = 64
const LENGTH = 3

/**
 * A pattern of LIKE that every text matches that matches the given one, but with fewer parts of three characters to look up in an index of
 * parts of texts. All rows of each part are read, so a word that many texts contain is read once for each of its parts; one is enough.
 * Parts that few texts contain are kept, and of the others those that narrow the search according to the sample.
 *
 * @returns the given pattern if it has no part that can be left out
 */
export function coarsePattern(pattern: string, sample: TextSample): string {
  // The lower case of a sigma may depend on what follows it: without that, the text would be another.
  if (sample.shares.length === 0 || pattern.includes('Σ')) return pattern
  const literals = literalsOf(pattern)
  const parts = literals.flatMap(partsOf)
  const kept = new Set(chooseParts(parts.slice(0, MAX_PARTS), sample))
  if (kept.size === parts.length) return pattern
  const texts = literals.flatMap((literal, of) => textsOf(literal, startsIn(kept, of)))
  return texts.length === 0 ? pattern : `%${texts.join('%')}%`
}

export function sampleOf(texts: readonly SampledText[]): TextSample {
  const textsByPart = new Map<string, Set<number>>()
  for (const [index, { text }] of texts.entries()) {
    const characters = [...text]
    for (let end = LENGTH; end <= characters.length; end += 1) {
      const part = characters.slice(end - LENGTH, end).join('')
      textsByPart.set(part, (textsByPart.get(part) ?? new Set()).add(index))
    }
  }
  return { shares: texts.map(({ share }) => share), textsByPart }
}

/** Characters of a pattern between two wildcards, each with its backslash. */
type Literal = readonly string[]

interface Part {
  /** Index of the literal, and of its first character there. */
  readonly of: number
  readonly at: number
  readonly text: string
}

function literalsOf(pattern: string): readonly Literal[] {
  const literals: string[][] = [[]]
  for (const character of pattern.match(/\\.|./gsu) ?? []) {
    if (character === '%' || character === '_') literals.push([])
    else literals.at(-1)?.push(character)
  }
  return literals.filter(({ length }) => length > 0)
}

const partsOf = (literal: Literal, of: number): readonly Part[] =>
  literal.slice(LENGTH - 1).map((_last, at) => ({
    of,
    at,
    text: literal
      .slice(at, at + LENGTH)
      .map((character) => character.replace(/^\\/su, (backslash) => (character.length > 1 ? '' : backslash)))
      .join('')
      .toLowerCase(),
  }))

const NONE: ReadonlySet<number> = new Set()

function chooseParts(parts: readonly Part[], { shares, textsByPart }: TextSample): readonly Part[] {
  const shareOf = (texts: Iterable<number>): number => {
    let sum = 0
    for (const text of texts) sum += shares[text] ?? 0
    return sum
  }
  const shared = parts.map((part): SharedPart => {
    const texts = textsByPart.get(part.text) ?? NONE
    return { part, texts, share: shareOf(texts) }
  })
  const all = shareOf(shares.keys())
  const chosen: Part[] = []
  const frequent: SharedPart[] = []
  for (const each of shared.toSorted(byUse)) {
    const { part, texts, share } = each
    if (share >= RARE) {
      const isRedundant = (of: SharedPart): boolean =>
        shareOf([...of.texts].filter((text) => texts.has(text))) > LEFT * of.share
      if (share > LEFT * all || frequent.some(isRedundant)) continue
      frequent.push(each)
    }
    chosen.push(part)
  }
  return chosen
}

interface SharedPart {
  readonly part: Part
  /** The texts of the sample that have it. */
  readonly texts: ReadonlySet<number>
  readonly share: number
}

/** The rarest first; of equal ones those within a word, because the beginning of a word is a part, too, and more frequent. */
const byUse = (one: SharedPart, other: SharedPart): number =>
  one.share - other.share || Number(isWithinWord(other.part)) - Number(isWithinWord(one.part))

const isWithinWord = ({ text }: Part): boolean => /^[\p{L}\p{N}]*$/u.test(text)

const startsIn = (parts: ReadonlySet<Part>, literal: number): readonly number[] =>
  [...parts].filter(({ of }) => of === literal).map(({ at }) => at)

/** What is kept of a literal, in its order: each text is made of parts that overlap. A literal without parts is kept. */
function textsOf(literal: Literal, starts: readonly number[]): readonly string[] {
  if (literal.length < LENGTH) return [literal.join('')]
  const ranges: { from: number; to: number }[] = []
  for (const at of starts.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1)
    if (last !== undefined && at < last.to) last.to = at + LENGTH
    else ranges.push({ from: at, to: at + LENGTH })
  }
  return ranges.map(({ from, to }) => literal.slice(from, to).join(''))
}
