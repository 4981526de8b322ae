/**
 * Text that is as hard to search as real text: a vocabulary that follows Zipf's law, made of syllables, in two alphabets, with endings for
 * the stemmers, real stop words, and a few words for the subject of each document. The same seed gives the same text.
 */
import { stopWords } from '../../src/search-engine/analysis/stop-words.ts'

export interface BenchDocument {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly metadata: {
    readonly flag: boolean
    readonly status: string
    readonly priority: number
    readonly sys_id: string
  }
}

export interface Corpus {
  /** @param chunks approximate number of chunks of the texts */
  documents(chunks: number): Generator<BenchDocument>
  queries(count: number): readonly string[]
}

/** Chunks of one document: a text of several pages. */
export const chunksOfDocument = 10
const wordsOfParagraph = 120
const vocabularySize = 60_000

export function makeCorpus(seed: number): Corpus {
  const random = makeRandom(seed)
  const languages = [languageOf('en', random), languageOf('ru', random)] as const
  return {
    *documents(chunks) {
      for (let n = 0; n < Math.ceil(chunks / chunksOfDocument); n++)
        yield documentOf(n, languages[n % 3 === 2 ? 1 : 0], random)
    },
    queries: (count) =>
      Array.from({ length: count }, (_, n) => {
        const language = languages[n % 3 === 2 ? 1 : 0]
        const words = Array.from({ length: 3 + Math.floor(random() * 6) }, () => language.word())
        return words.join(' ')
      }),
  }
}

interface Language {
  /** A word by its frequency; a third of all words are stop words, as in real text. */
  word(): string
  /** A word that is not a stop word. */
  rareWord(): string
}

type Random = () => number

function languageOf(language: 'en' | 'ru', random: Random): Language {
  const syllables =
    language === 'en'
      ? 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo za bra cle dri flo gru ple sta tre'.split(' ')
      : 'ба ве ги до жу за ке ли мо ну па ре си то фу ха це чи шо щу бра вле гри дро кру пле ста тре'.split(' ')
  const endings =
    language === 'en' ? ['', '', 's', 'ing', 'ed', 'er', 'tion'] : ['', 'а', 'ы', 'ами', 'ом', 'ение', 'ов']
  const stems = Array.from({ length: vocabularySize }, () =>
    Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(syllables, random)).join(''),
  )
  const stops = [...(stopWords.get(language) ?? [])].filter((word) => !word.includes("'"))
  const rank = zipf(vocabularySize, random)
  const content = (at: number): string => `${stems[at]}${pick(endings, random)}`
  return {
    word: () => (random() < 0.33 ? pick(stops, random) : content(rank())),
    rareWord: () => content(500 + Math.floor(random() * (vocabularySize - 500))),
  }
}

function documentOf(n: number, language: Language, random: Random): BenchDocument {
  const topics = Array.from({ length: 6 }, () => language.rareWord())
  const word = (): string => (random() < 0.06 ? pick(topics, random) : language.word())
  const paragraphs = Array.from({ length: chunksOfDocument }, () => {
    const words = Array.from({ length: wordsOfParagraph + Math.floor(random() * 30) }, word)
    if (random() < 0.3) words.push(`INC${1_000_000 + Math.floor(random() * 1_000_000)}`)
    return sentences(words)
  })
  return {
    id: `doc-${n}`,
    title: topics.slice(0, 3).join(' '),
    text: paragraphs.join('\n\n'),
    metadata: {
      flag: n % 2 === 0,
      status: n % 1_000 === 7 ? 'rare' : 'common',
      priority: n % 5,
      sys_id: String(500_000_000_000 + n),
    },
  }
}

function sentences(words: readonly string[]): string {
  const parts: string[] = []
  for (let at = 0; at < words.length; at += 12) parts.push(`${words.slice(at, at + 12).join(' ')}.`)
  return parts.join(' ')
}

function zipf(size: number, random: Random): () => number {
  const sums = new Float64Array(size)
  let sum = 0
  for (let rank = 0; rank < size; rank++) {
    sum += 1 / (rank + 8) ** 1.05
    sums[rank] = sum
  }
  return () => {
    const wanted = random() * sum
    let low = 0
    let high = size - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}

function pick<T>(list: readonly T[], random: Random): T {
  return list[Math.floor(random() * list.length)] as T
}

/** Mulberry32. */
export function makeRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
