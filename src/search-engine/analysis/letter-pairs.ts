/** Scripts whose words are not parted by spaces, and Hangul, whose words bear particles: both are searched by pairs of letters. */
const scripts =
  '\\p{Script=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'

export const unspacedLetter = new RegExp(`[${scripts}]`, 'u')

const marks = '[\\p{M}\\uff9e\\uff9f]*'
/** Letters of such scripts in a row, or what is between them. */
export const unspacedOrOther = new RegExp(`(?:[${scripts}]${marks})+|[^${scripts}]+`, 'gu')
/** A letter of such a script, or a word of another. */
export const letterOrWord = new RegExp(
  `[${scripts}]${marks}|(?![${scripts}])[\\p{L}\\p{N}](?:(?![${scripts}])[\\p{L}\\p{N}\\p{M}])*`,
  'gu',
)
/** A letter with its vowels and tones; a syllable of decomposed Hangul. */
const letter = new RegExp(`(?:[\\u1100-\\u115f][\\u1160-\\u11a7]+[\\u11a8-\\u11ff]*|.)${marks}`, 'gsu')

/** A word by itself in these. */
const wordLetter = /^[\p{Script=Han}\p{Script=Hangul}]$/u

interface PlacedTerm {
  readonly term: string
  readonly from: number
  readonly to: number
}

/**
 * Overlapping pairs of the letters of a row, each with its range. One letter is a term by itself.
 *
 * @returns `loose`: each letter of Han and Hangul, unless it stands alone
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

/** Whether a term is one letter that longer rows hold as a loose term. */
export function isSingleLetter(term: string): boolean {
  return wordLetter.test(term)
}
