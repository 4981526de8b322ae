import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCallers, normalize, rejected, type Who } from '../contract/documents/stage.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { type ReceivedResponse, type Sender, sendTo } from '../harness/send-request.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'
import { hostileFiles } from './hostile-files.ts'

/** A server in a process of its own, so that its memory is its own. */
let docket: SpawnedDocket
let fresh: FreshDatabase
let sender: Sender
let keys: Readonly<Record<Who, string>>
const dataDir = temporaryFolder(0o700)
beforeAll(async () => {
  fresh = await freshDatabase()
  keys = await makeCallers(fresh)
  docket = await spawnDocket({ DOCKET_DATABASE_URL: fresh.connectionString, DOCKET_DATA_DIR: dataDir })
  sender = sendTo(docket.address)
  await send('writer', 'POST /load_text_to_collection?collection_name=calm', { text: 'The calm document.' })
})
afterAll(async () => {
  sender.close()
  await docket.stop()
  await fresh.drop()
})

async function send(as: Who, line: string, body?: unknown): Promise<ReceivedResponse> {
  const [method = '', ...path] = line.split(' ')
  const sent = body === undefined ? {} : { body }
  return normalize(await sender.send(method, path.join(' '), { as: { bearer: keys[as] }, ...sent }))
}

const uploadPath = (parameters: string): string => `/load_document_to_collection?${parameters}`

async function upload(
  bytes: Uint8Array,
  parameters = 'collection_name=hostile',
  name = 'upload',
): Promise<ReceivedResponse> {
  const body = Buffer.concat([Buffer.from(partHead(name)), bytes, Buffer.from('\r\n--B--\r\n')])
  return sendForm(body, parameters)
}

async function sendForm(
  body: Uint8Array | string,
  parameters = 'collection_name=hostile',
  type = formType,
): Promise<ReceivedResponse> {
  const headers = { 'content-type': type }
  return normalize(await sender.send('POST', uploadPath(parameters), { as: { bearer: keys.writer }, body, headers }))
}

const formType = 'multipart/form-data; boundary=B'
const partHead = (fileName: string): string =>
  `--B\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\n\r\n`

/** The server responds to others, before they time out. */
async function expectService(): Promise<void> {
  const response = await send('reader', 'POST /get_relevant_documents', { query: 'calm', collection_names: ['calm'] })
  expect(response).toMatchObject({ status: 200, body: { data: [{ text: 'The calm document.' }] } })
}

/** Megabytes that the process has held at most, or holds now; 0 where the system does not tell. */
function memoryMb(which: 'VmHWM' | 'VmRSS'): number {
  if (process.platform !== 'linux') return 0
  const status = readFileSync(`/proc/${docket.processId}/status`, 'utf8')
  return Number(new RegExp(`^${which}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
}

/** Files of uploads that are under way; none is left when they are over. */
async function expectNoLeftovers(): Promise<void> {
  // An upload that broke off is noticed by its connection.
  while (readdirSync(join(dataDir, 'uploads')).length > 0) await pause(10)
}

/** Codes of extraction failures in responses. */
const statusOf = (cause: string): number => (cause === 'unsupported-media-type' ? 415 : 422)

describe('a hostile file that is uploaded is rejected by name or read aright, while others are served', () => {
  // hostile-documents.test.ts has the pages of 10 MB; two texts of 10 MB are among these files, too.
  test.each(hostileFiles(1))('$name', async ({ bytes, rejected: cause, text }) => {
    const [response] = await Promise.all([upload(bytes()), expectService(), expectService()])
    if (cause !== undefined) {
      expect(response).toMatchObject({
        status: statusOf(cause),
        body: {
          status: 'ERROR',
          error_type: 'SERVER',
          errors: [{ code: cause === 'unsupported-media-type' ? 'UNSUPPORTED_MEDIA_TYPE' : 'UNREADABLE_DOCUMENT' }],
        },
      })
      return
    }
    expect(response).toMatchObject({ status: 200, body: { status: 'OK', data: { state: 'ready' } } })
    if (text === undefined) return
    const { doc_id } = (response.body as { readonly data: { readonly doc_id: string } }).data
    const content = await send('reader', `GET /get_content_by_tag?collection_name=hostile&tag_info=doc_id=${doc_id}`)
    expect(content.body).toMatchObject({ data: [{ doc_id, text }] })
  })

  test('the server held little memory all the while', async () => {
    // At most 540 were seen; bombs of this corpus unpack to gigabytes.
    expect(memoryMb('VmHWM')).toBeLessThan(1_500)
    await expectNoLeftovers()
  })
})

const fixtures = new URL('../fixtures/documents/', import.meta.url)

test.each(readdirSync(fixtures))(
  '%s cut off anywhere, or under a wrong name, is read or rejected by name',
  async (name) => {
    const whole = readFileSync(new URL(name, fixtures))
    const pieces = [0.01, 0.3, 0.9, 0.999].map((share) => whole.subarray(0, Math.ceil(whole.length * share)))
    for (const bytes of [...pieces, whole]) {
      const { status, body } = await upload(bytes, 'collection_name=broken', 'letter.html')
      if (status === 200) continue
      expect([name, status]).toEqual([name, status === 415 ? 415 : 422])
      const code = status === 415 ? 'UNSUPPORTED_MEDIA_TYPE' : 'UNREADABLE_DOCUMENT'
      expect(body).toMatchObject({ status: 'ERROR', error_type: 'SERVER', errors: [{ code }] })
    }
  },
)

test.each([
  ['PDF', '%PDF-1.7\n'],
  ['an archive', 'PK\x03\x04'],
  ['RTF', '{\\rtf1'],
  ['XML', '<?xml version="1.0"?>'],
  ['an old Office file', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
])('random bytes behind the beginning of %s are read or rejected by name', async (_what, head) => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 3_000 }), async (noise) => {
      const { status } = await upload(Buffer.concat([Buffer.from(head, 'latin1'), noise]), 'collection_name=noise')
      expect([200, 415, 422]).toContain(status)
    }),
    { numRuns: 10 },
  )
})

describe('sizes', () => {
  const megabyte = Buffer.alloc(1024 * 1024, 'lorem ipsum dolor sit ')

  /** Streams so many megabytes as one file, until the server responds; if more was announced, it is not sent. */
  function stream(megabytes: number, headers: Readonly<Record<string, string>> = {}): Promise<ReceivedResponse> {
    return new Promise((resolve, reject) => {
      const uploading = request(`${docket.address}${uploadPath('collection_name=large')}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${keys.writer}`, 'content-type': formType, ...headers },
      })
      let sent = 0
      let hasResponse = false
      uploading.on('response', (response) => {
        hasResponse = true
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('end', () => {
          const text = Buffer.concat(pieces).toString('utf8')
          const { statusCode: status = 0, headers } = response
          resolve(normalize({ status, headers, body: undefined, text }))
          uploading.destroy()
        })
      })
      uploading.on('error', (error) => {
        if (!hasResponse) reject(error)
      })
      const pump = (): void => {
        while (!hasResponse && sent < megabytes) {
          sent++
          if (!uploading.write(megabyte)) return void uploading.once('drain', pump)
        }
        if (!hasResponse && !('content-length' in headers)) uploading.end('\r\n--B--\r\n')
      }
      uploading.write(partHead('large.txt'))
      pump()
    })
  }

  const tooLarge = rejected('BODY_TOO_LARGE', 'The body is larger than 104857600 bytes.')

  test('a gigabyte is rejected at the limit, in little memory, and leaves nothing on the disk', async () => {
    const before = memoryMb('VmRSS')
    const [response] = await Promise.all([stream(1_024), expectService()])
    expect({ status: response.status, body: response.body }).toEqual({ status: 413, body: tooLarge })
    expect(memoryMb('VmRSS') - before).toBeLessThan(500)
    await expectNoLeftovers()
    await expectService()
  })

  test('a gigabyte that is announced is rejected before it is sent', async () => {
    const response = await stream(1, { 'content-length': String(1024 ** 3 + 1_000) })
    expect({ status: response.status, body: response.body }).toEqual({ status: 413, body: tooLarge })
  })

  test('an upload that breaks off leaves nothing behind', async () => {
    const uploading = request(`${docket.address}${uploadPath('collection_name=large')}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.writer}`, 'content-type': formType },
    })
    const isOver = new Promise((resolve) => uploading.on('error', resolve).on('close', resolve))
    uploading.write(partHead('half.txt'))
    uploading.write(megabyte)
    while (readdirSync(join(dataDir, 'uploads')).length === 0) await pause(10)
    uploading.destroy()
    await isOver
    await expectNoLeftovers()
    expect((await send('reader', 'GET /get_list_of_documents_names?collection_name=large')).status).toBe(404)
  })

  test('a slow upload holds up nobody, and is loaded when it is there', async () => {
    const form = Buffer.from(`${partHead('slow.txt')}Slowly, letter by letter.\r\n--B--\r\n`)
    const responded = new Promise<number | undefined>((resolve, reject) => {
      const uploading = request(`${docket.address}${uploadPath('collection_name=slow')}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${keys.writer}`, 'content-type': formType },
      })
      uploading.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
      const letters = async (): Promise<void> => {
        for (const letter of form) {
          uploading.write(Buffer.from([letter]))
          await pause(2)
        }
        uploading.end()
      }
      letters().catch(reject)
    })
    for (let n = 0; n < 5; n++) await expectService()
    expect(await responded).toBe(200)
  })

  test('a file of the largest size that is allowed arrives', async () => {
    // What is in it is not what is tested here.
    const response = await upload(Buffer.alloc(100 * 1024 * 1024), 'collection_name=large', 'zeros.bin')
    expect(response).toMatchObject({ status: 422, body: { errors: [{ code: 'UNREADABLE_DOCUMENT' }] } })
    const over = await upload(Buffer.alloc(100 * 1024 * 1024 + 1), 'collection_name=large', 'zeros.bin')
    expect({ status: over.status, body: over.body }).toEqual({ status: 413, body: tooLarge })
  })

  test('a hundred thousand tiny chunks', async () => {
    await send('admin', 'PUT /collections/tiny', { chunk_units: 100, overlap_units: 0 })
    const lines = Array.from(
      { length: 100_000 },
      (_, n) => `Line ${n} stands alone, with words of its own, and as long as a chunk may be here: ${n % 89}.`,
    )
    const before = memoryMb('VmRSS')
    const [response] = await Promise.all([
      upload(Buffer.from(lines.join('\n\n')), 'collection_name=tiny', 'tiny.txt'),
      expectService(),
      expectService(),
    ])
    expect(response).toMatchObject({ status: 200, body: { data: { chunks: expect.any(Number) } } })
    expect((response.body as { data: { chunks: number } }).data.chunks).toBeGreaterThanOrEqual(100_000)
    const found = await send('reader', 'POST /get_relevant_documents?query=line+77123&k=1', {
      collection_names: ['tiny'],
    })
    expect(found.body).toMatchObject({
      data: [{ text: `${lines[77_123]}\n\n`, from: lines.slice(0, 77_123).join('\n\n').length + 2 }],
    })
    expect(memoryMb('VmRSS') - before).toBeLessThan(1_000)
  })
})

describe('broken forms', () => {
  const file = (content = 'x', head = partHead('a.txt')): string => `${head}${content}\r\n`
  const field = (name: string, content: string): string =>
    `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`
  const end = '--B--\r\n'
  const unreadable = (why: string) =>
    rejected('BAD_REQUEST', `This is not an HTTP request that the server can read: the form cannot be read: ${why}.`)
  const missing = rejected('INVALID_VALUE', 'The value of file is rejected: it is missing.', { field: 'file' })

  test.each([
    { name: 'without its end', body: file(), status: 400, response: unreadable('it ends before its last boundary') },
    {
      name: 'cut off in the file',
      body: `${partHead('a.txt')}abc`,
      status: 400,
      response: unreadable('it ends before its last boundary'),
    },
    {
      name: 'cut off in a head',
      body: '--B\r\nContent-Disposition: form-da',
      status: 400,
      response: unreadable('it ends before its last boundary'),
    },
    {
      name: 'another boundary than announced',
      body: `--C\r\n\r\nx\r\n--C--\r\n`,
      status: 400,
      response: unreadable('it ends before its last boundary'),
    },
    { name: 'no boundary at all', body: 'x', status: 400, response: unreadable('it ends before its last boundary') },
    { name: 'nothing', body: '', status: 400, response: unreadable('it ends before its last boundary') },
    { name: 'no parts', body: end, status: 422, response: missing },
    { name: 'the file as a plain field', body: `${field('file', 'x')}${end}`, status: 422, response: missing },
    {
      name: 'two files',
      body: `${file()}${file('y')}${end}`,
      status: 400,
      response: unreadable('it holds more than one file'),
    },
    {
      name: 'the file in another field',
      body: `${file('x', partHead('a.txt').replace('"file"', '"upload"'))}${end}`,
      status: 400,
      response: unreadable('the file stands in the field upload, not in file'),
    },
    {
      name: '21 fields',
      body: `${Array.from({ length: 21 }, (_, n) => field(`f${n}`, 'x')).join('')}${file()}${end}`,
      status: 400,
      response: unreadable('it has more than 20 fields'),
    },
    {
      name: 'a field of 70,000 letters',
      body: `${field('metadata', 'x'.repeat(70_000))}${file()}${end}`,
      status: 400,
      response: unreadable('the field metadata is too long'),
    },
    {
      name: 'a part that says nothing of itself',
      body: `--B\r\n\r\nx\r\n${file()}${end}`,
      status: 400,
      response: unreadable('a part does not say what it is: Content-Disposition: form-data; name="…" is missing'),
    },
    {
      name: 'the metadata twice, and not the same',
      body: `${field('metadata', '{"a":1}')}${file()}${field('metadata', '{"a":2}')}${end}`,
      status: 400,
      response: rejected('BAD_PARAMETER', 'The parameter metadata must be one value; found two different values.', {
        field: 'metadata',
      }),
    },
    {
      name: 'the file in base64',
      body: `${file('eA==', partHead('a.txt').replace('\r\n\r\n', '\r\nContent-Transfer-Encoding: base64\r\n\r\n'))}${end}`,
      status: 400,
      response: unreadable('the part file is sent in base64: send its bytes as they are'),
    },
    {
      name: 'U+0000 in the metadata',
      body: `${field('metadata', '{"a":"\\u0000"}')}${file()}${end}`,
      status: 400,
      response: rejected(
        'BAD_JSON',
        'The field metadata of the form is not valid JSON: text cannot hold the character U+0000 (at position 6).',
        {
          field: 'metadata',
          position: 6,
        },
      ),
    },
    {
      name: 'metadata that is a list',
      body: `${field('metadata', '[]')}${file()}${end}`,
      status: 422,
      response: rejected('INVALID_VALUE', 'The value of metadata is rejected: it must be a JSON object.', {
        field: 'metadata',
      }),
    },
  ])('$name', async ({ body, status, response }) => {
    const sent = await sendForm(body, 'collection_name=forms')
    expect({ status: sent.status, body: sent.body }).toEqual({ status, body: response })
  })

  test('a type without a boundary', async () => {
    const sent = await sendForm(`${file()}${end}`, 'collection_name=forms', 'multipart/form-data')
    expect({ status: sent.status, body: sent.body }).toEqual({
      status: 400,
      body: unreadable('its Content-Type names no boundary that can be used'),
    })
  })

  test('nothing of all that was loaded or left', async () => {
    expect((await send('reader', 'GET /get_list_of_documents_names?collection_name=forms')).status).toBe(404)
    await expectNoLeftovers()
  })
})

describe('names', () => {
  test.each([
    { sent: '../../../../etc/passwd', displayed: 'passwd' },
    { sent: '/etc/shadow', displayed: 'shadow' },
    { sent: 'C:\\windows\\win.ini', displayed: 'win.ini' },
    { sent: '..', displayed: null },
    { sent: '', displayed: null },
    { sent: ' ', displayed: null },
    { sent: 'a\0b.txt', displayed: 'ab.txt' },
    { sent: '\u202Egpj.exe\u202C', displayed: 'gpj.exe' },
    { sent: 'a\tb\x7f.txt', displayed: 'ab.txt' },
    { sent: 'принтер «1».txt', displayed: 'принтер «1».txt' },
    { sent: '$(rm -rf)`id`;%2e%2e%2f.txt', displayed: '$(rm -rf)`id`;%2e%2e%2f.txt' },
    { sent: 'con', displayed: 'con' },
  ])('a file called $sent is shown as $displayed, and given back', async ({ sent, displayed }) => {
    const bytes = Buffer.from(`file called ${JSON.stringify(sent)}`)
    const loaded = await upload(bytes, 'collection_name=names', sent)
    expect(loaded).toMatchObject({ status: 200 })
    const { doc_id } = (loaded.body as { readonly data: { readonly doc_id: string } }).data
    const found = await send('reader', `GET /get_content_by_tag?collection_name=names&tag_info=doc_id=${doc_id}`)
    expect(found.body).toMatchObject({ data: [{ doc_id, file_name: displayed }] })
    const original = await send('reader', `GET /get_document_file?collection_name=names&id_value=${doc_id}`)
    expect(original.text).toBe(bytes.toString())
    expect(original.headers['content-disposition']).toMatch(
      /^attachment; filename="[^"\\\r\n]*"; filename\*=UTF-8''[\w.!~*'()%-]+$/,
    )
  })

  test('nothing lies in the data directory but what Docket puts there', () => {
    expect(readdirSync(dataDir).sort()).toEqual(['attachments', 'files', 'index', 'uploads'])
    const stored = readdirSync(join(dataDir, 'files'), { recursive: true, encoding: 'utf8' })
    for (const path of stored) expect(path).toMatch(/^(store-id|[0-9a-f]{2}(\/[0-9a-f]{64})?)$/)
  })

  const strange = ['%00', 'a%00b', '..%2F..%2Fetc%2Fpasswd', '%E2%80%AEabc', '%F0%9F', '%ED%A0%80', "'%3B--", '%']
  const places = [
    'GET /get_list_of_documents_names?collection_name=',
    'GET /get_document_file?collection_name=names&id_value=',
    'GET /get_document_status?collection_name=names&id_value=',
    'GET /get_relevant_documents?query=x&collection_names=',
    'GET /get_relevant_documents?query=x&mode=',
    'GET /get_content_by_tag?collection_name=names&cursor=',
    'DELETE /delete_document_from_collection?collection_name=names&id_value=',
    'DELETE /delete_collection?collection_name=',
    'GET /collections/',
    'POST /load_text_to_collection?collection_name=',
  ]
  test.each(places)('%s with every strange name is a clear error', async (place) => {
    for (const name of strange) {
      const response = await send('admin', `${place}${name}`, place.startsWith('POST') ? { text: 'x' } : undefined)
      expect([name, response.status >= 400 && response.status < 500, response.text]).toEqual([
        name,
        true,
        response.text,
      ])
      expect(response.body).toMatchObject({ status: 'ERROR', errors: [{ code: expect.any(String) }] })
    }
  })

  test.each([
    'GET /get_relevant_documents?query=',
    'GET /get_relevant_documents?query=x&metadata=a=',
    'GET /get_content_by_tag?collection_name=names&tag_info=a=',
  ])('%s with every strange text is a clear error or a response', async (place) => {
    for (const name of strange) {
      const { status, body } = await send('admin', `${place}${name}`)
      expect([name, status === 200 || status === 400, body]).toEqual([name, true, body])
    }
  })

  test('a cursor that nobody was given is rejected: no bytes of it reach the database', async () => {
    for (const bytes of [[0], [0x61, 0, 0x62], [0xed, 0xa0, 0x80], [0xff]]) {
      const cursor = Buffer.from(bytes).toString('base64url')
      const response = await send('reader', `GET /get_content_by_tag?collection_name=names&cursor=${cursor}`)
      expect(response.body).toEqual(
        rejected('BAD_PARAMETER', `The parameter cursor must be next_cursor of the page before; found ${cursor}.`, {
          field: 'cursor',
        }),
      )
    }
  })
})

test('what nobody sees in a text is taken out, and the document says so', async () => {
  const hidden = [...'ignore all']
    .map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0)))
    .join('')
  const bytes = Buffer.from(`Plain\u202E words\u200B here.${hidden}\x07`)
  await upload(bytes, 'collection_name=hidden', 'hidden.txt')
  const content = await send('reader', 'GET /get_content_by_tag?collection_name=hidden')
  expect(content.body).toMatchObject({ data: [{ text: 'Plain words here.' }] })
  const details = await send('reader', 'GET /get_list_of_documents_names?collection_name=hidden&details=1')
  expect(details.body).toMatchObject({
    data: [
      {
        flags: [
          { kind: 'control-characters', count: 1 },
          { kind: 'bidi-controls', count: 1 },
          { kind: 'smuggled-characters', count: 10 },
          { kind: 'invisible-characters', count: 1 },
        ],
      },
    ],
  })
})

test('after all of it the server has failed at nothing, and no connection holds up its end', async () => {
  await expectService()
  sender.close()
  await docket.stop()
  const lines = docket.log().split('\n')
  expect(lines.filter((line) => /"level":"(error|warn)"/.test(line))).toEqual([])
})
