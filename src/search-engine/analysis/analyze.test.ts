import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { analyze, looseTermsIn, termsIn } from './analyze.ts'

type Found = readonly [what: string, text: string, terms: readonly string[], language?: string]

const found: readonly Found[] = [
  ['Russian words by the Russian stem, ё as е', 'Ёлки, ёлку и ЕЛКОЙ', ['елк', 'елк', 'елк']],
  ['English words by the English stem', 'connected connections connecting', ['connect', 'connect', 'connect']],
  ['both languages in one text', 'Настройка VPN на laptops', ['настройк', 'vpn', 'laptop']],
  ['Latin words in the language of the document', 'Die größeren Häuser', ['gross', 'haus'], 'de'],
  ['Latin words of a Russian document in English', 'printers', ['printer'], 'ru'],
  ['elided articles of French', "l'imprimante n'est pas prête", ['imprim', 'pret'], 'fr'],
  ['words without their accents', 'café cafe', ['cafe', 'cafe']],
  ['stress marks in Russian are no part of the word', 'за\u0301мок', ['замк']],
  ['decomposed letters as composed ones', 'войны вои\u0306ны', ['войн', 'войн']],
  ['possessives and apostrophes of both forms', "printer's O'Brien O’Brien don't", ['printer', 'obrien', 'obrien']],
  ['nothing for stop words', 'How do I do this and why? Что это и как?', []],
  ['an abbreviation that is a stop word in small letters', 'IT it', ['it']],
  ['hyphenated words by their parts', 'state-of-the-art', ['state', 'art']],
  ['short prefixes also joined', 'e-mail', ['email', 'mail']],
  ['record numbers whole and in parts', 'INC0012345', ['inc0012345', 'inc', '0012345', '12345']],
  ['error codes whole and in parts', 'ERR-42', ['err-42', 'err', '42']],
  ['file names whole and in parts', 'foo_bar.ts', ['foo_bar.ts', 'foo_bar', 'foo', 'bar', 'ts']],
  ['versions whole and by their beginnings', 'v1.22.3', ['v1.22.3', 'v1', '1', '22', '3']],
  ['plain versions', '1.22.3', ['1.22.3', '1.22', '22']],
  [
    'mail addresses whole and in parts',
    'Ivan.Petrov@mail.example.com',
    ['ivan.petrov@mail.example.com', 'ivan.petrov', 'ivan', 'petrov', 'mail.example.com', 'mail', 'exampl', 'com'],
  ],
  ['names of code whole and by their humps', 'parseEncodedQuery', ['parseencodedqueri', 'pars', 'encod', 'queri']],
  ['numbers in groups as one', '1,000,000 and 1\u00a0000', ['1000000', '1000']],
  ['decimal commas as points and as lists', '3,14', ['3.14', '3', '14']],
  ['leading zeros also away', '007', ['007', '7']],
  ['numbers with their unit', '10кг 5GB', ['10кг', '10', 'кг', '5gb', '5', 'gb']],
  ['ordinals by their number', '1st', ['1st', '1']],
  ['languages of programmers', 'C++ and C#, F#', ['c++', 'c#', 'f#']],
  ['names with an ampersand', 'AT&T', ['at&t', 'at']],
  ['Cyrillic words typed with Latin look-alikes', 'c\u0447eт', ['счет']],
  ['words of two alphabets whole and in parts', 'VPNом', ['vpnом', 'vpn', 'ом']],
  ['scripts without spaces in pairs', '東京都', ['東京', '京都']],
  ['words between letters of such scripts as words', '使用VPN连接3次', ['使用', 'vpn', '连接', '3', '次']],
  ['letters of Thai with their vowels and tones', 'ที่นี่', ['ที่นี่']],
  ['half-width letters as full ones', 'ﾌﾟﾘﾝﾀ', ['プリ', 'リン', 'ンタ']],
  ['German compounds whole and in parts', 'Netzwerkdrucker', ['netzwerkdruck', 'netzwerk', 'druck'], 'de'],
  ['compounds with forms of their words', 'Häuserverwaltungen', ['hauserverwalt', 'haus', 'verwalt'], 'de'],
  ['the known part of a compound', 'Spamfilter', ['spamfilt', 'filt'], 'de'],
  [
    'no parts of words that only look like compounds',
    'Apparat Unterstand Bahnhof',
    ['apparat', 'unterstand', 'bahnhof'],
    'de',
  ],
  ['no parts in other languages', 'handball', ['handbal'], 'en'],
]

describe('a text gives', () => {
  test.each(found.map(([what, text, terms, language]) => ({ what, text, terms, language })))(
    '$what',
    ({ text, terms, language }) => {
      expect(analyze(text, language)).toEqual(terms)
    },
  )
})

test('stop words, and single letters, are loose terms (issue 11, 3.5)', () => {
  const loose = (text: string) => looseTermsIn(text).map(({ term, from, to }) => [term, text.slice(from, to)])
  expect(loose('To be, IT and ещё')).toEqual([
    ['~to', 'To'],
    ['~be', 'be'],
    ['~and', 'and'],
    ['~еще', 'ещё'],
  ])
  expect(loose('水道 木')).toEqual([
    ['水', '水'],
    ['道', '道'],
  ])
})

test.each([
  ['found by what was typed', 'Ошибка ERR-42 при входе в систему', 'err 42'],
  ['found by its number without zeros', 'see INC0012345', '12345'],
  ['found in the other case and number', 'Не печатает сетевой принтер', 'сетевые принтеры не печатают'],
])('a document is %s', (_, document, query) => {
  const terms = new Set(analyze(document))
  expect(analyze(query).filter((term) => !terms.has(term))).toEqual([])
})

describe('laws', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('a', 'B', '1', '_', '-', '.', '@', "'", 'я', 'Ё', ' ', '\u0301', '京', '&', ',', '\u00ad'))
      .map((units) => units.join('')),
  )

  test('no term is empty, holds white space or a capital that has a small letter', () => {
    fc.assert(
      fc.property(text, fc.constantFrom(undefined, 'en', 'ru', 'de', 'tr', 'ja'), (some, language) => {
        for (const term of analyze(some, language)) {
          expect(term).toMatch(/^\S+$/)
          expect(term).toBe(term.toLowerCase())
        }
      }),
    )
  })

  test('terms with places are the same terms, in order, each inside the text', () => {
    fc.assert(
      fc.property(text, (some) => {
        const placed = termsIn(some)
        expect(placed.map(({ term }) => term)).toEqual(analyze(some))
        for (const [index, { from, to }] of placed.entries()) {
          expect(from).toBeGreaterThanOrEqual(placed[index - 1]?.from ?? 0)
          expect(to).toBeGreaterThan(from)
          expect(to).toBeLessThanOrEqual(some.length)
        }
      }),
    )
  })

  test('what was analysed before does not change what comes now', () => {
    fc.assert(
      fc.property(text, text, (some, other) => {
        const alone = analyze(some)
        analyze(other, 'de')
        expect(analyze(some)).toEqual(alone)
      }),
    )
  })

  test('two texts apart give the terms of each', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(analyze(`${one}\n${other}`)).toEqual([...analyze(one), ...analyze(other)])
      }),
    )
  })
})

test.each([
  ['joined letters', 'a_'],
  ['dots', 'a.'],
  ['marks', '\u0301'],
  ['letters and digits', 'a1'],
  ['groups of digits', '1,000'],
  ['a script without spaces', 'สวัสดี'],
  ['apostrophes', "a'"],
])('a megabyte of %s is read to its end', (_, unit) => {
  expect(analyze(`${unit.repeat(1_000_000 / unit.length)} printer`).at(-1)).toBe('printer')
})
