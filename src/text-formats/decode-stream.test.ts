import iconv from 'iconv-lite'
import { expect, test } from 'vitest'
import { charsetLabel } from './charset-labels.ts'
import { decodeStream, InvalidEncoding } from './decode-stream.ts'

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
async function read(bytes: Uint8Array, encoding: string, size: number) {
  let text = ''
  try {
    for await (const piece of decodeStream(cut(bytes, size), encoding)) text += piece
    return { text, error: null }
  } catch (error) {
    if (!(error instanceof InvalidEncoding)) throw error
    return { text, error: error.message }
  }
}
const windows1251 = Buffer.from([0xcf, 0xe5, 0xf0, 0xec, 0xfc])

test.each([1, 2, 3, 1_000])('letters are whole, however the bytes are cut (%i at once)', async (size) => {
  expect(await read(Buffer.from('Пермь, 5 €, 🙂'), 'utf-8', size)).toEqual({ text: 'Пермь, 5 €, 🙂', error: null })
  expect(await read(windows1251, 'windows-1251', size)).toEqual({ text: 'Пермь', error: null })
  expect(await read(Buffer.from('\uFEFFПермь', 'utf16le'), 'utf-16le', size)).toEqual({
    text: '\uFEFFПермь',
    error: null,
  })
})

test.each([1, 2, 3, 1_000])('what is no letter ends the text where it stands (%i bytes at once)', async (size) => {
  const bytes = Buffer.concat([Buffer.from('name\nОдин\n'), windows1251, Buffer.from('\nlast\n')])
  const outcome = await read(bytes, 'utf-8', size)
  expect(outcome.error).toBe('bytes that are not utf-8')
  expect('name\nОдин\n').toContain(outcome.text)
  expect((await read(Buffer.from('Пермь').subarray(0, 9), 'utf-8', size)).error).toBe('bytes that are not utf-8')
})

test.each([1, 2, 1_000])('encodings that only tables know are read as strictly (%i bytes at once)', async (size) => {
  expect(await read(iconv.encode('Пермь', 'ibm855'), 'ibm855', size)).toEqual({ text: 'Пермь', error: null })
  const wrong = await read(Buffer.from([0x61, 0xdb, 0x62]), 'tis620', size)
  expect(wrong).toEqual({ text: 'a', error: 'bytes that are not tis620' })
})

test('an encoding that nobody knows has no label', () => {
  expect(charsetLabel('klingon')).toBeUndefined()
})
