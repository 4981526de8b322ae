import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ReceivedResponse } from '../../harness/send-request.ts'
import { type DocumentStage, normalize, rejected, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
})
afterAll(() => stage.close())

/** The bytes of «При» in windows-1251. */
const bytes1251 = Buffer.from('cff0e8', 'hex').toString('latin1')

interface Part {
  readonly head: string
  readonly content: string
}
const field = (name: string, content: string, type = ''): Part => ({
  head: `Content-Disposition: form-data; name="${name}"${type === '' ? '' : `\r\nContent-Type: ${type}`}`,
  content,
})
const file = (content = 'A text.', parameters = 'filename="a.txt"'): Part => ({
  head: `Content-Disposition: form-data; name="file"; ${parameters}`,
  content,
})

/** Each character of a part is one byte, so characters above U+00FF are not possible. */
async function send(parts: readonly Part[], parameters = 'collection_name=forms'): Promise<ReceivedResponse> {
  const whole = parts.map(({ head, content }) => `--B\r\n${head}\r\n\r\n${content}\r\n`).join('')
  return normalize(
    await stage.docket.request('POST', `/load_document_to_collection?${parameters}`, {
      as: { bearer: stage.keys.writer },
      body: Buffer.from(`${whole}--B--\r\n`, 'latin1'),
      headers: { 'content-type': 'multipart/form-data; boundary=B' },
    }),
  )
}
const utf8 = (text: string): string => Buffer.from(text).toString('latin1')
const described = ({ status, body }: ReceivedResponse) => ({ status, body })

describe('bytes that are not UTF-8 are rejected with their place, never replaced', () => {
  test.each([
    ['at the beginning', `{"a":"${bytes1251}"}`, 6],
    ['behind Russian letters', `${utf8('{"a":"При')}${bytes1251}"}`, 9],
    ['behind a letter of two units', `${utf8('{"a":"🦭')}\xff"}`, 8],
    ['in the midst of a letter that is cut off', `{"a":"\xd0"}`, 6],
    ['half of a surrogate pair', `{"a":"\xed\xa0\x80"}`, 6],
    ['as the last byte', '{"a":"x"}\xc0', 9],
  ])('in the metadata, %s', async (_where, metadata, position) => {
    expect(described(await send([field('metadata', metadata), file()]))).toEqual({
      status: 400,
      body: rejected(
        'BAD_JSON',
        `The field metadata of the form is not valid JSON: it is not UTF-8 (at position ${position}).`,
        { field: 'metadata', position },
      ),
    })
  })

  test.each(['collection_name', 'async', 'anything'])('in the field %s', async (name) => {
    expect(described(await send([file(), field(name, `ab${bytes1251}`)]))).toEqual({
      status: 400,
      body: rejected('BAD_PARAMETER', `The parameter ${name} must be UTF-8; found a byte that is not, at position 2.`, {
        field: name,
        position: 2,
      }),
    })
  })

  test.each([`filename="ab${bytes1251}.txt"`, "filename*=UTF-8''ab%CF%F0%E8.txt"])(
    'in the name of the file: %s',
    async (parameters) => {
      expect(described(await send([file('x', parameters)]))).toEqual({
        status: 400,
        body: rejected(
          'BAD_PARAMETER',
          'The parameter file must be UTF-8; found a byte of its name that is not, at position 2.',
          { field: 'file', position: 2 },
        ),
      })
    },
  )

  test('in the name of a field', async () => {
    expect(described(await send([file(), field(bytes1251, 'x')]))).toEqual({
      status: 400,
      body: rejected(
        'BAD_PARAMETER',
        'The parameter a part of the form must be UTF-8; found a byte of its name that is not, at position 0.',
        { field: 'a part of the form', position: 0 },
      ),
    })
  })

  test('in a JSON body', async () => {
    const response = await stage.docket.request('POST', '/load_text_to_collection?collection_name=forms', {
      as: { bearer: stage.keys.writer },
      body: Buffer.from(`{"text":"${bytes1251}"}`, 'latin1'),
    })
    expect(described(normalize(response))).toEqual({
      status: 400,
      body: rejected('BAD_JSON', 'The body is not valid JSON: it is not UTF-8 (at position 9).', { position: 9 }),
    })
  })

  test('nothing of it was loaded', async () => {
    expect((await stage.send('reader', 'GET /get_list_of_documents_names?collection_name=forms')).status).toBe(404)
  })

  test('U+FFFD that was meant is a letter like others', async () => {
    const response = await send([field('metadata', utf8('{"doc_id":"\ufffd"}')), file()], 'collection_name=meant')
    expect(response).toMatchObject({ status: 200, body: { data: { doc_id: '\ufffd' } } })
  })
})

describe('what clients send in their own ways is understood', () => {
  const loaded = async (parts: readonly Part[], parameters = 'collection_name=understood'): Promise<unknown> => {
    const { status, body } = await send(parts, parameters)
    expect({ status, body }).toMatchObject({ status: 200 })
    const { doc_id } = (body as { data: { doc_id: string } }).data
    const line = `GET /get_content_by_tag?collection_name=understood&tag_info=doc_id=${encodeURIComponent(doc_id)}`
    return ((await stage.send('reader', line)).body as { data: unknown[] }).data[0]
  }

  test.each([
    [
      'metadata with a type of its own, as curl -F "metadata={…};type=application/json"',
      field('metadata', '{"doc_id":"typed","n":1}', 'application/json'),
    ],
    [
      'metadata from a file, as curl -F metadata=@metadata.json',
      {
        head: 'Content-Disposition: form-data; name="metadata"; filename="metadata.json"\r\nContent-Type: application/octet-stream',
        content: '{"doc_id":"typed","n":1}',
      },
    ],
    ['metadata with the mark that Windows puts in front', field('metadata', utf8('\ufeff{"doc_id":"typed","n":1}'))],
    [
      'metadata in an encoding that it names',
      field('metadata', '{"doc_id":"typed","n":1}', 'application/json; charset=windows-1251'),
    ],
    ['metadata twice, and the same', field('metadata', '{"doc_id":"typed","n":1}')],
  ])('%s', async (what, metadata) => {
    const parts = what.includes('twice') ? [metadata, file(), metadata] : [metadata, file()]
    expect(await loaded(parts)).toMatchObject({ doc_id: 'typed', metadata: { doc_id: 'typed', n: 1 }, text: 'A text.' })
  })

  test('letters of an encoding that the part names are those letters', async () => {
    const metadata = field(
      'metadata',
      `{"doc_id":"cp","title":"${bytes1251}"}`,
      'application/json; charset="windows-1251"',
    )
    expect(await loaded([metadata, file()])).toMatchObject({ metadata: { doc_id: 'cp', title: 'При' } })
    const wrong = await send([field('metadata', '{}', 'application/json; charset=no-such'), file()])
    expect(described(wrong)).toEqual({
      status: 400,
      body: rejected(
        'BAD_PARAMETER',
        'The parameter metadata must be in the encoding that its part names; found bytes that are not no-such.',
        { field: 'metadata' },
      ),
    })
  })

  test.each([
    [utf8('filename="отчёт.txt"'), 'отчёт.txt'],
    ['filename="x"; filename*=UTF-8\'\'%D0%BE%D1%82%D1%87%D1%91%D1%82.txt', 'отчёт.txt'],
    [`filename*=windows-1251''%CF%F0%E8.txt`, 'При.txt'],
    ['filename="a;b.txt"', 'a;b.txt'],
  ])('a file called by %s', async (parameters, name) => {
    expect(
      await loaded([field('metadata', '{"doc_id":"named"}'), file(`Text of ${name.length}.`, parameters)]),
    ).toMatchObject({
      file_name: name,
    })
  })

  test('every parameter may stand in the form; the query string wins', async () => {
    const parts = [
      field('collection_name', 'understood'),
      field('metadata', '{"doc_id":"inform"}'),
      file(),
      field('async', '0'),
    ]
    expect(await loaded(parts, '')).toMatchObject({ doc_id: 'inform', collection_name: 'understood' })
    const wins = await send([...parts, field('_unknown', 'x')], 'collection_name=wins&async=1')
    expect(wins).toMatchObject({ status: 202, body: { data: { collection_name: 'wins' } } })
  })

  test('names that mean something to JavaScript are names like others', async () => {
    const ours = [field('metadata', '{"doc_id":"proto"}'), file()]
    expect(await loaded([field('__proto__', '{}'), ...ours])).toMatchObject({ doc_id: 'proto' })
    for (const name of ['constructor', 'toString'])
      expect(await send([field(name, '{}'), ...ours], 'collection_name=understood')).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'BAD_PARAMETER', field: name }] },
      })
  })
})
