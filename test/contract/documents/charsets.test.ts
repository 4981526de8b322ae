import iconv from 'iconv-lite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DocumentStage, normalize, rejected, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
})
afterAll(() => stage.close())

/** «Łódź» in windows-1250: too short to be distinguished from a Western text. */
const polish = iconv.encode('Łódź', 'windows-1250')

/** @param type media type of the part with the file */
async function load(docId: string, bytes: Buffer, type: string, parameters = ''): Promise<unknown> {
  const head = `--B\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{"doc_id":"${docId}"}\r\n--B\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: ${type}\r\n\r\n`
  const response = await stage.docket.request(
    'POST',
    `/load_document_to_collection?collection_name=sets${parameters}`,
    {
      as: { bearer: stage.keys.writer },
      body: Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--B--\r\n')]),
      headers: { 'content-type': 'multipart/form-data; boundary=B' },
    },
  )
  const { status, body } = normalize(response)
  return { status, body }
}

async function textOf(docId: string): Promise<unknown> {
  const response = await stage.send('reader', 'POST /get_content_by_tag', {
    collection_name: 'sets',
    tag_info: `doc_id=${docId}`,
  })
  return (response.body as { data: { text: string }[] }).data.map(({ text }) => text)
}

const data = (members: object) => ({ status: 200, body: { status: 'OK', data: members } })

test('the charset in the Content-Type of the file is how it is read, and nothing was guessed (issue 11, 1.3)', async () => {
  const loaded = await load('part', polish, 'text/plain; charset=windows-1250')
  expect(loaded).toMatchObject(data({ result: 'created' }))
  expect(loaded).not.toHaveProperty('body.data.warnings')
  expect(await textOf('part')).toEqual(['Łódź'])
})

test('the parameter charset wins over that of the part, and over what the file says (issue 11, 1.3)', async () => {
  const page = iconv.encode('<html><head><meta charset="koi8-r"></head><body>Привет</body></html>', 'ibm855')
  expect(await load('parameter', page, 'text/html; charset=windows-1251', '&charset=IBM855')).toMatchObject(
    data({ result: 'created' }),
  )
  expect(await textOf('parameter')).toEqual(['Привет'])
})

test('the same file in another charset replaces what was read in the wrong one (issue 11, 1.3)', async () => {
  const russian = iconv.encode('Привет, это письмо.', 'koi8-r')
  expect(await load('again', russian, 'text/plain; charset=windows-1251')).toMatchObject(data({ result: 'created' }))
  expect(await load('again', russian, 'text/plain; charset=koi8-r')).toMatchObject(data({ result: 'replaced' }))
  expect(await load('again', russian, 'text/plain; charset=koi8-r')).toMatchObject(data({ result: 'unchanged' }))
  expect(await textOf('again')).toEqual(['Привет, это письмо.'])
  const list = await stage.send('reader', 'GET /get_list_of_documents_names?collection_name=sets&details=1')
  const { sha256 } = (list.body as { data: { doc_id: string; sha256: string }[] }).data.find(
    ({ doc_id }) => doc_id === 'again',
  ) ?? { sha256: '' }
  expect(sha256).toBe(
    await crypto.subtle.digest('SHA-256', new Uint8Array(russian)).then((hash) => Buffer.from(hash).toString('hex')),
  )
})

test('a queued load keeps the charset of its caller (issue 11, 1.3)', async () => {
  expect(await load('queued', polish, 'text/plain; charset=windows-1250', '&async=1')).toMatchObject({ status: 202 })
  await expect
    .poll(
      async () => (await stage.send('reader', 'GET /get_document_status?collection_name=sets&id_value=queued')).body,
      {
        timeout: 20_000,
      },
    )
    .toMatchObject({ data: { state: 'ready' } })
  expect(await textOf('queued')).toEqual(['Łódź'])
})

test('a charset that nobody knows is 400, and no charset is none (issue 11, 1.3)', async () => {
  expect(await load('unknown', polish, 'text/plain; charset=klingon')).toEqual({
    status: 400,
    body: rejected(
      'BAD_PARAMETER',
      'The parameter charset must be the name of a character encoding, such as windows-1250; found klingon.',
      { field: 'charset' },
    ),
  })
  expect(await load('binary', Buffer.from('A text.'), 'application/octet-stream; charset=binary')).toMatchObject(
    data({ result: 'created' }),
  )
})

test('bytes that mean nothing in the charset of the caller are a warning (issue 11, 1.2)', async () => {
  expect(await load('wrong', polish, 'text/plain; charset=utf-8')).toMatchObject(data({ warnings: ['undecodable'] }))
})
