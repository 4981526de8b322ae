/** Scripts without spaces between words, and Hangul, whose words have particles: both are searched by pairs of characters. */
const scripts =
  '\\p{Script=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'

export const unspacedLetter = new RegExp(`[${scripts}]`, 'u')

const marks = '[\\p{M}\\uff9e\\uff9f]*'
/** A sequence of characters of such scripts, or the text between them. */
export const unspacedOrOther = new RegExp(`(?:[${scripts}]${marks})+|[^${scripts}]+`, 'gu')
/** A character of such a script, or a word of another script. */
export const letterOrWord = new RegExp(
  `[${scripts}]${marks}|(?![${scripts}])[\\p{L}\\p{N}](?:(?![${scripts}])[\\p{L}\\p{N}\\p{M}])*`,
  'gu',
)
/** A character with its vowels and tones; a syllable of decomposed Hangul. */
const letter = new RegExp(`(?:[\\u1100-\\u115f][\\u1160-\\u11a7]+[\\u11a8-\\u11ff]*|.)${marks}`, 'gsu')

/** Characters of these scripts can be words by themselves. */
const wordLetter = /^[\p{Script=Han}\p{Script=Hangul}]$/u

interface PlacedTerm {
  readonly term: string
  readonly from: number
  readonly to: number
}

/**
 * Overlapping pairs of the characters of a sequence, each with its range. A single character is a term by itself.
 *
 * @returns `loose`: each character of Han and Hangul, unless it is the only one
 */
export function pairsOfLetters(row: string): {
  readonly words: readonly PlacedTerm[]
  readonly loose: readonly PlacedTerm[]
} {
  const isNormal = row.normalize('NFKC') === row
  const letters = [...row.matchAll(letter)].map(({ index, 0: text }) => ({
    term: isNormal ? text : text.normalize('NFKC').toLowerCase(),
    from: index,
    to: index + text.length,
  }))
  if (letters.length === 1) return { words: letters, loose: [] }
  const words = letters.slice(1).map(({ term, to }, index) => {
    const before = letters[index]
    return { term: `${before?.term ?? ''}${term}`, from: before?.from ?? 0, to }
  })
  return { words, loose: letters.filter(({ term }) => wordLetter.test(term)) }
}

/** Whether a term is one character, which longer sequences contain as a loose term. */
export function isSingleLetter(term: string): boolean {
  return wordLetter.test(term)
}
