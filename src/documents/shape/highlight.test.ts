import fc from 'fast-check'
import { expect, test } from 'vitest'
import { looseTermsIn, termsIn } from '../../search-engine/analysis/analyze.ts'
import { highlightedTerms, highlightsOf, type Range } from './highlight.ts'

const languages = [
  'da',
  'de',
  'en',
  'es',
  'fi',
  'fr',
  'hu',
  'it',
  'nl',
  'no',
  'pt',
  'ro',
  'ru',
  'sv',
  'tr',
  null,
] as const
const ends = [
  '',
  's',
  'ed',
  'ing',
  'ies',
  'tion',
  'ungen',
  'heten',
  'issimo',
  'ité',
  'lar',
  'nak',
  'en',
  'а',
  'ами',
  'ость',
]
const word = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(
        'the',
        'IT',
        'printer',
        'dying',
        'skies',
        'Netzwerkdrucker',
        'parseQuery',
        'VPNом',
        'ёлка',
        'Ель',
        'наилучший',
      ),
      fc.constantFrom(
        'INC0012345',
        'e-mail',
        'état',
        'über',
        'ısı',
        'İzmir',
        '漢字',
        'не',
        'быть',
        'geopend',
        'yyyy',
        "l'imprimante",
      ),
      fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength: 1, maxLength: 8 }),
      fc.string({ unit: fc.constantFrom(...'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'), minLength: 1, maxLength: 8 }),
    ),
    fc.constantFrom(...ends),
    fc.boolean(),
  )
  .map(([stem, end, isCapital]) => (isCapital ? stem.charAt(0).toUpperCase() + stem.slice(1) + end : stem + end))
const text = fc.array(word, { minLength: 1, maxLength: 12 })

function highlightsOfAllTerms(of: string, language: string | null, words: Set<string>, loose: Set<string>): Range[] {
  const all = [
    ...termsIn(of, language ?? undefined).filter(({ term }) => words.has(term)),
    ...looseTermsIn(of, language ?? undefined).filter(({ term }) => loose.has(term)),
  ].sort((one, other) => one.from - other.from)
  const ranges: [from: number, to: number][] = []
  for (const { from, to } of all) {
    const last = ranges.at(-1)
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to)
    else ranges.push([from, to])
  }
  return ranges
}

test('highlights are the words whose terms are searched, whichever words are read (issue 11, search time)', () => {
  fc.assert(
    fc.property(
      text,
      text,
      fc.constantFrom(...languages),
      fc.constantFrom(...languages),
      fc.boolean(),
      (words, others, language, own, hasLoose) => {
        const query = others.join(' ')
        const terms = new Set(termsIn(query, own ?? undefined).map(({ term }) => term))
        const loose = new Set(hasLoose ? looseTermsIn(query, own ?? undefined).map(({ term }) => term) : [])
        const all = [...words, ...others].join(' ')
        const found = highlightsOf(all, language, highlightedTerms([...terms, ...loose], loose))
        expect(found).toEqual(highlightsOfAllTerms(all, language, new Set([...terms, ...loose]), loose))
      },
    ),
    { numRuns: 3_000 },
  )
})
