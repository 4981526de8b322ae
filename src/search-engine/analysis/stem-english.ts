/**
 * The English stemmer of the Snowball project ("Porter 2", as of Snowball 3):
 * https://snowballstem.org/algorithms/english/stemmer.html.
 *
 * Implemented here because the package for the other languages provides the first Porter algorithm as English: it stems `ale`
 * to `al` and `status` to `statu`.
 */
export function stemEnglish(lowerCaseWord: string): string {
  const exception = wholeWords.get(lowerCaseWord)
  if (exception !== undefined) return exception
  if (lowerCaseWord.length < 3) return lowerCaseWord
  const word = markConsonantY(lowerCaseWord.startsWith("'") ? lowerCaseWord.slice(1) : lowerCaseWord)
  const regions = findRegions(word)
  let stem = dropPlural(word)
  stem = dropPastAndGerund(stem, regions)
  stem = finalYToI(stem)
  stem = replaceSuffix(stem, step2Suffixes, 7, regions.r1, step2Condition)
  stem = shortenStep3(stem, regions)
  stem = replaceSuffix(stem, step4Suffixes, 5, regions.r2, step4Condition)
  return dropFinalEOrL(stem, regions).replaceAll('Y', 'y')
}

/** Offsets at which the two regions of a word begin; equal to its length when the region is empty. */
interface Regions {
  readonly r1: number
  readonly r2: number
}

const wholeWords: ReadonlyMap<string, string> = new Map([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((word) => [word, word] as const),
])

const prefixesThatEndRegion1 = /^(?:gener|commun|arsen|past|univers|later|emerg|organ|inter)/

const isVowel = (word: string, at: number): boolean => at >= 0 && at < word.length && 'aeiouy'.includes(word.charAt(at))
const isConsonant = (word: string, at: number): boolean => at >= 0 && at < word.length && !isVowel(word, at)

/** `y` at the start or after a vowel is a consonant; it is written `Y` until the end. */
function markConsonantY(word: string): string {
  if (!word.includes('y')) return word
  let marked = ''
  for (let at = 0; at < word.length; at++) {
    const letter = word.charAt(at)
    marked += letter === 'y' && (at === 0 || isVowel(marked, at - 1)) ? 'Y' : letter
  }
  return marked
}

function findRegions(word: string): Regions {
  const prefix = prefixesThatEndRegion1.exec(word)
  const r1 = prefix === null ? afterVowelConsonant(word, 0) : prefix[0].length
  return { r1, r2: afterVowelConsonant(word, r1) }
}

function afterVowelConsonant(word: string, start: number): number {
  let at = start
  while (at < word.length && !isVowel(word, at)) at++
  while (at < word.length && isVowel(word, at)) at++
  return Math.min(at + 1, word.length)
}

function hasVowelBefore(word: string, end: number): boolean {
  for (let at = 0; at < end; at++) if (isVowel(word, at)) return true
  return false
}

/** Whether the part of `word` up to `end` ends in a short syllable. */
function endsShort(word: string, end: number): boolean {
  if (word.slice(0, end).endsWith('past')) return true
  if (!isVowel(word, end - 2) || !isConsonant(word, end - 1)) return false
  return end === 2 || (isConsonant(word, end - 3) && !'wxY'.includes(word.charAt(end - 1)))
}

function dropPlural(word: string): string {
  const stem = word.replace(/'s?'?$/, (suffix) => (suffix === "''" ? "'" : ''))
  if (stem.endsWith('sses')) return stem.slice(0, -2)
  if (/ie[ds]$/.test(stem)) return stem.slice(0, stem.length > 4 ? -2 : -1)
  if (!stem.endsWith('s') || /[us]s$/.test(stem)) return stem
  return hasVowelBefore(stem, stem.length - 2) ? stem.slice(0, -1) : stem
}

function dropPastAndGerund(word: string, { r1 }: Regions): string {
  const suffix = /(?:eedly|eed|edly|ed|ingly|ing)$/.exec(word)?.[0]
  if (suffix === undefined) return word
  const kept = word.slice(0, word.length - suffix.length)
  if (suffix.startsWith('ee')) return kept.length < r1 || /^(?:proc|exc|succ)$/.test(kept) ? word : `${kept}ee`
  if (suffix === 'ing') {
    if (/^[^aeiouy]y$/.test(kept)) return `${kept.slice(0, 1)}ie`
    if (/^(?:inn|out|cann|herr|earr|even)$/.test(kept)) return word
  }
  if (!hasVowelBefore(kept, kept.length)) return word
  if (/(?:at|bl|iz)$/.test(kept)) return `${kept}e`
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(kept)) return /^[aeo]..$/.test(kept) ? kept : kept.slice(0, -1)
  return kept.length === r1 && endsShort(kept, kept.length) ? `${kept}e` : kept
}

function finalYToI(word: string): string {
  return word.length > 2 && /[yY]$/.test(word) && isConsonant(word, word.length - 2) ? `${word.slice(0, -1)}i` : word
}

const step2Suffixes: ReadonlyMap<string, string> = new Map([
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['entli', 'ent'],
  ['izer', 'ize'],
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['alli', 'al'],
  ['fulness', 'ful'],
  ['ousli', 'ous'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['bli', 'ble'],
  ['ogist', 'og'],
  ['ogi', 'og'],
  ['fulli', 'ful'],
  ['lessli', 'less'],
  ['li', ''],
])

function step2Condition(suffix: string, before: string): boolean {
  if (suffix === 'ogi') return before === 'l'
  return suffix !== 'li' || 'cdeghkmnrt'.includes(before)
}

const step3Suffixes: ReadonlyMap<string, string> = new Map([
  ['tional', 'tion'],
  ['ational', 'ate'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
])

function shortenStep3(word: string, { r1, r2 }: Regions): string {
  if (word.endsWith('ative')) return word.length - 5 >= Math.max(r1, r2) ? word.slice(0, -5) : word
  return replaceSuffix(word, step3Suffixes, 7, r1, () => true)
}

const step4Suffixes: ReadonlyMap<string, string> = new Map(
  'al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion'
    .split(' ')
    .map((suffix) => [suffix, '']),
)

function step4Condition(suffix: string, before: string): boolean {
  return suffix !== 'ion' || before === 's' || before === 't'
}

/** Replaces the longest suffix of the table if it starts at or after `region` and the condition holds. */
function replaceSuffix(
  word: string,
  suffixes: ReadonlyMap<string, string>,
  longest: number,
  region: number,
  mayFollow: (suffix: string, before: string) => boolean,
): string {
  for (let length = Math.min(longest, word.length); length >= 2; length--) {
    const suffix = word.slice(word.length - length)
    const replacement = suffixes.get(suffix)
    if (replacement === undefined) continue
    const start = word.length - length
    // `charAt(-1)` is the empty string, which every `includes` finds: a word that is only a suffix has nothing before it.
    const allowed = start >= region && start > 0 && mayFollow(suffix, word.charAt(start - 1))
    return allowed ? word.slice(0, start) + replacement : word
  }
  return word
}

function dropFinalEOrL(word: string, { r1, r2 }: Regions): string {
  const start = word.length - 1
  if (word.endsWith('e') && (start >= r2 || (start >= r1 && !endsShort(word, start)))) return word.slice(0, -1)
  if (word.endsWith('ll') && start >= r2) return word.slice(0, -1)
  return word
}
