import iconv from 'iconv-lite'
import { describe, expect, test } from 'vitest'
import { declaredEncoding } from '../../src/text-formats/declared-encoding.ts'
import { type CharsetHints, decodeText } from '../../src/text-formats/decode-text.ts'
import { languageTexts } from './language-texts.ts'
import { readBytes } from './read-bytes.ts'

/** What is left of a text that is written in an encoding: its own characters. */
const writtenIn = (text: string, encoding: string): { readonly bytes: Buffer; readonly text: string } => {
  const bytes = iconv.encode(text, encoding)
  return { bytes, text: iconv.decode(bytes, encoding) }
}

const table = languageTexts.flatMap(({ language, encodings, text }) =>
  encodings.split(' ').map((encoding) => ({ language, encoding, text })),
)

test.each(table)('undeclared $encoding is decoded: $language (issue 11, 1.3)', ({ encoding, text }) => {
  const written = writtenIn(text, encoding)
  expect(written.text.length).toBeGreaterThan(490)
  expect(written.text.replace(/[^?]/g, '').length).toBeLessThan(3)
  expect(decodeText(written.bytes)).toMatchObject({ text: written.text, isGuessed: true, undecodable: 0 })
})

const pageIn = (language: string, encoding: string, meta: string): Buffer => {
  const text = languageTexts.find((each) => each.language === language)?.text ?? ''
  return iconv.encode(
    `<!DOCTYPE html><html><head>${meta}<title>1</title></head><body><p>${text}</p></body></html>`,
    encoding,
  )
}
const meta = (charset: string): string => `<meta http-equiv="Content-Type" content="text/html; charset=${charset}">`
const decoded = (bytes: Buffer, hints: CharsetHints = {}) =>
  decodeText(bytes, { declared: declaredEncoding(bytes), ...hints })

describe('what a page declares', () => {
  test.each([
    ['ru', 'koi8-r', 'koi8-r'],
    ['ru', 'ibm855', 'ibm855'],
    ['ja', 'shift_jis', 'shift_jis'],
    ['fr', 'cp850', 'cp850'],
  ])('%s in %s declared as %s is believed (issue 11, 1.3)', (language, encoding, declared) => {
    expect(decoded(pageIn(language, encoding, meta(declared)))).toMatchObject({ isGuessed: false, undecodable: 0 })
  })

  test.each([
    ['ru', 'windows-1251', 'iso-8859-1'],
    ['ru', 'koi8-r', 'windows-1251'],
    ['el', 'windows-1253', 'windows-1252'],
    ['ja', 'shift_jis', 'iso-8859-1'],
    ['ja', 'euc-jp', 'shift_jis'],
    ['cs', 'windows-1250', 'utf-8'],
    ['pl', 'iso-8859-2', 'no-such-encoding'],
  ])('%s in %s is read although the page says %s (issue 11, 1.3)', (language, encoding, declared) => {
    const bytes = pageIn(language, encoding, meta(declared))
    expect(decoded(bytes)).toMatchObject({ text: iconv.decode(bytes, encoding), isGuessed: true })
  })

  test('a meta element in a comment declares nothing (issue 11, 1.3)', () => {
    const bytes = pageIn('ru', 'windows-1251', `<!-- ${meta('koi8-r')} -->${meta('windows-1251')}`)
    expect(decoded(bytes)).toMatchObject({ text: iconv.decode(bytes, 'windows-1251'), isGuessed: false })
  })

  test.each(['utf-16le', 'utf-16be'])('a page in %s without a mark is read (issue 11, 1.3)', (encoding) => {
    for (const language of ['de', 'ru', 'el', 'ja', 'ar', 'th']) {
      const bytes = pageIn(language, encoding, meta('utf-8'))
      expect(decoded(bytes)).toMatchObject({ text: iconv.decode(bytes, encoding), encoding, isGuessed: false })
    }
  })
})

describe('what the caller says', () => {
  test.each([
    ['windows-1251', 'a page that declares another', { given: 'windows-1251' }],
    ['ibm855', 'an encoding that TextDecoder does not know', { given: 'IBM855' }],
    ['utf-16le', 'UTF-16 without a mark', { given: 'utf-16le' }],
  ])('wins: %s, %s (issue 11, 1.3)', (encoding, _, hints) => {
    const bytes = pageIn('ru', encoding, meta('koi8-r'))
    expect(decoded(bytes, hints)).toMatchObject({ text: iconv.decode(bytes, encoding), isGuessed: false })
  })

  test('wins over a text that is UTF-8 by its form', () => {
    expect(decodeText(Buffer.from('\u00e9'), { given: 'windows-1252' })).toMatchObject({ text: '\u00c3\u00a9' })
  })
})

describe('warnings', () => {
  const czech = languageTexts[0]?.text ?? ''
  test('a guess is named (issue 11, 1.2)', async () => {
    expect(await flagsOf(iconv.encode(czech, 'windows-1250'))).toEqual({ 'encoding-guessed': 1 })
  })
  test.each([
    ['UTF-8', Buffer.from(czech)],
    ['ASCII', Buffer.from('Plain words.')],
    ['UTF-16', Buffer.from(`\ufeff${czech}`, 'utf16le')],
    ['a declared encoding', pageIn('cs', 'iso-8859-2', meta('iso-8859-2'))],
  ])('%s is no guess (issue 11, 1.2)', async (_, bytes) => {
    expect(await flagsOf(bytes)).toBeUndefined()
  })
})

async function flagsOf(bytes: Buffer): Promise<unknown> {
  return ((await readBytes(bytes)) as { flags?: unknown }).flags
}
