import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BrokenForm, InvalidUtf8, readForm } from './read-form.ts'

const type = 'multipart/form-data; boundary=B'

/** A body in chunks of these lengths; the last length is repeated. */
function inPieces(body: Buffer, lengths: readonly number[] = [body.length]) {
  const left = [...lengths]
  let at = 0
  return {
    async next(): Promise<Buffer | undefined> {
      if (at >= body.length) return undefined
      const length = Math.max(1, (left.length > 1 ? left.shift() : left[0]) ?? 1)
      at += length
      return body.subarray(at - length, at)
    },
  }
}

interface ReadPart {
  readonly name: string
  readonly fileName: string | undefined
  readonly type: string
  readonly charset: string
  readonly content: Buffer
}

async function partsOf(body: Buffer | string, contentType = type, lengths?: readonly number[]): Promise<ReadPart[]> {
  const parts: ReadPart[] = []
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  for await (const { content, ...part } of readForm(inPieces(bytes, lengths), contentType)) {
    const pieces: Buffer[] = []
    for await (const piece of content) pieces.push(piece)
    parts.push({ ...part, content: Buffer.concat(pieces) })
  }
  return parts
}

const part = (head: string, content = 'x'): string => `--B\r\n${head}\r\n\r\n${content}\r\n`
const named = (parameters: string, content = 'x'): string =>
  part(`Content-Disposition: form-data; ${parameters}`, content)
const end = '--B--\r\n'

test('what fetch writes comes back byte by byte, in whatever pieces it arrives', async () => {
  // These stand for a quotation mark and line ends.
  const isUnescaped = (name: string): boolean => !/%(22|0A|0D)/.test(name)
  const field = fc.record({
    name: fc
      .oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }), fc.constantFrom('a "b"', 'a\nb', '100% %0a'))
      .filter(isUnescaped),
    text: fc.string(),
  })
  const file = fc.record({
    name: fc.constantFrom('file', 'другой'),
    // Two backslashes are two in a browser and one in other clients.
    fileName: fc
      .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 })
      .filter((name) => !name.includes('\\\\') && isUnescaped(name)),
    // Bytes that boundaries are made of.
    bytes: fc.array(fc.constantFrom(13, 10, 45, 66, 0, 255), { maxLength: 60 }),
  })
  const both = fc.array(fc.oneof(field, file), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(
      both,
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
      async (all, lengths) => {
        const form = new FormData()
        for (const one of all)
          if ('text' in one) form.append(one.name, one.text)
          else form.append(one.name, new Blob([new Uint8Array(one.bytes)]), one.fileName)
        const sent = new Response(form)
        const bytes = Buffer.from(await sent.clone().arrayBuffer())
        const parts = await partsOf(bytes, sent.headers.get('content-type') ?? '', lengths)
        // Names and texts of fields have line ends as in forms.
        const inForm = (text: string): string => text.replaceAll(/\r\n|\r|\n/g, '\r\n')
        expect(
          parts.map(({ name, fileName, content }) => ({ name, fileName, content: content.toString('latin1') })),
        ).toEqual(
          all.map((one) =>
            'text' in one
              ? { name: inForm(one.name), fileName: undefined, content: latin1(inForm(one.text)) }
              : { name: one.name, fileName: one.fileName, content: Buffer.from(one.bytes).toString('latin1') },
          ),
        )
      },
    ),
  )
})

const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

test('whatever comes is a form or is rejected', async () => {
  const words = fc.constantFrom(
    '--B',
    '\r\n',
    '--',
    'Content-Disposition: form-data; name="a"',
    ';',
    '"',
    '\\',
    ': ',
    'x',
  )
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 50 }),
    fc.array(words, { maxLength: 20 }).map((all) => Buffer.from(all.join(''))),
  )
  await fc.assert(
    fc.asyncProperty(bytes, fc.integer({ min: 1, max: 9 }), async (sent, length) => {
      const outcome = await partsOf(Buffer.from(sent), type, [length]).catch((error: unknown) => error)
      expect(Array.isArray(outcome) || outcome instanceof BrokenForm || outcome instanceof InvalidUtf8).toBe(true)
      // The chunk sizes make no difference.
      const whole = await partsOf(Buffer.from(sent)).catch((error: unknown) => error)
      expect(outcome).toEqual(whole)
    }),
    { numRuns: 500 },
  )
})

describe('heads', () => {
  test.each([
    ['name="a"', { name: 'a', fileName: undefined }],
    ['name=a', { name: 'a', fileName: undefined }],
    ['NAME="a"; FileName="b.txt"', { name: 'a', fileName: 'b.txt' }],
    ['name="a"; filename=""', { name: 'a', fileName: '' }],
    ['name="a"; filename="принтер «1».txt"', { name: 'a', fileName: 'принтер «1».txt' }],
    ['name="a"; filename="a;b=c.txt"', { name: 'a', fileName: 'a;b=c.txt' }],
    ['name="a"; filename="q\\"q\\\\q.txt"', { name: 'a', fileName: 'q"q\\q.txt' }],
    ['name="a"; filename="C:\\windows\\win.ini"', { name: 'a', fileName: 'C:\\windows\\win.ini' }],
    ['name="a%22b%0D%0A"; filename="%22%0D%0A%0d%41%.txt"', { name: 'a"b\r\n', fileName: '"\r\n%0d%41%.txt' }],
    [`name="a"; filename*=UTF-8''%2522.txt`, { name: 'a', fileName: '%22.txt' }],
    [`name="a"; filename="x"; filename*=UTF-8''%D0%B0%20b.txt`, { name: 'a', fileName: 'а b.txt' }],
    [`name="a"; filename*=windows-1251''%CF%F0%E8.txt`, { name: 'a', fileName: 'При.txt' }],
    [`name="a"; filename*=KOI8-R'ru'%F0.txt`, { name: 'a', fileName: 'П.txt' }],
  ])('%s', async (parameters, expected) => {
    expect(await partsOf(named(parameters) + end)).toEqual([
      { ...expected, type: 'text/plain', charset: 'utf-8', content: Buffer.from('x') },
    ])
  })

  test('a type, its encoding, and a line that goes on', async () => {
    const head = 'content-disposition: form-data;\r\n name="a"\r\nCONTENT-TYPE:application/json; charset="Windows-1251"'
    expect(await partsOf(part(head, '{}') + end)).toEqual([
      {
        name: 'a',
        fileName: undefined,
        type: 'application/json',
        charset: 'windows-1251',
        hasCharset: true,
        content: Buffer.from('{}'),
      },
    ])
  })
})

describe('refusals', () => {
  const cp1251 = Buffer.from('cff0e8', 'hex').toString('latin1')
  test.each([
    ['a part without a name', part('Content-Type: text/plain') + end, /does not say what it is/],
    ['a part of another kind', part('Content-Disposition: attachment; name="a"') + end, /does not say what it is/],
    ['a name twice', named('name="a"; name="b"') + end, /says name twice/],
    ['no header', part('no colon here') + end, /is not a header/],
    [
      'a header that breaks off in a line end',
      part('Content-Disposition: form-data; name="a\nb"') + end,
      /is not a header/,
    ],
    ['something behind a boundary', `--Bx\r\n\r\nx\r\n${end}`, /behind a boundary/],
    ['a head of 20,000 letters', part(`X: ${'x'.repeat(20_000)}`) + end, /longer than 16384 bytes/],
    [
      'base64',
      part('Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64') + end,
      /in base64/,
    ],
    ['a name in an encoding that is none', named(`name="a"; filename*=no-such''x`) + end, /cannot be decoded/],
    ['a name in no form', named('name="a"; filename*=x') + end, /cannot be decoded/],
    ['no end', named('name="a"'), /ends before its last boundary/],
    ['nothing', '', /ends before its last boundary/],
  ])('%s', async (_what, body, message) => {
    await expect(partsOf(body)).rejects.toThrow(message)
    await expect(partsOf(body)).rejects.toBeInstanceOf(BrokenForm)
  })

  test.each([
    [`name="${cp1251}"`, { part: '', position: 0 }],
    [`name="a"; filename="ab${cp1251}.txt"`, { part: 'a', position: 2 }],
    [`name="a"; filename*=UTF-8''ab%CF.txt`, { part: 'a', position: 2 }],
  ])('letters that are not UTF-8: %s', async (parameters, expected) => {
    const body = Buffer.from(named(parameters) + end, 'latin1')
    await expect(partsOf(body)).rejects.toMatchObject(expected)
    await expect(partsOf(body)).rejects.toBeInstanceOf(InvalidUtf8)
  })

  test.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary=${'b'.repeat(300)}`,
  ])('no boundary that can be used: %s', async (contentType) => {
    await expect(partsOf(named('name="a"') + end, contentType)).rejects.toThrow(/names no boundary/)
  })
})

test('boundaries may be quoted; what stands before the first and behind the last is not of the form', async () => {
  const body = `preamble\r\n--B C\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--B C--\r\nepilogue\r\n--B C\r\n`
  expect(await partsOf(body, 'multipart/form-data; charset=utf-8; boundary="B C"')).toMatchObject([{ name: 'a' }])
})

test('what nobody reads of a part is skipped', async () => {
  const names: string[] = []
  const body = named('name="a"', 'x'.repeat(1_000)) + named('name="b"', 'y') + end
  for await (const { name, content } of readForm(inPieces(Buffer.from(body), [7]), type)) {
    names.push(name)
    if (name === 'a') {
      for await (const piece of content) {
        expect(piece.length).toBeGreaterThan(0)
        break
      }
    }
  }
  expect(names).toEqual(['a', 'b'])
})
