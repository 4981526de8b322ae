import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../harness/run-command.ts'
import { objectStoreSettings, type S3StandIn, startS3 } from '../../harness/s3-stand-in.ts'
import { type DocumentStage, ok, rejected, setDocumentStage } from './stage.ts'

/** A file that is detected as a Word document of the format before 2007. */
const oldWord = Buffer.concat([
  Buffer.from('d0cf11e0a1b11ae1', 'hex'),
  Buffer.alloc(504),
  Buffer.from('WordDocument', 'utf16le'),
])

let converterStatus = 200
const converter = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    response.writeHead(converterStatus, { 'content-type': 'text/html; charset=utf-8' })
    response.end('<h1>Регламент</h1><p>Старый документ о резервном копировании.</p>')
  })
})
let s3: S3StandIn
let stage: DocumentStage
const objectStore = () => ({
  ...objectStoreSettings(s3),
  DOCKET_S3_PREFIX: 'desk',
})
const environment = () => ({ ...objectStore(), DOCKET_DATABASE_URL: stage.docket.connectionString })
beforeAll(async () => {
  s3 = await startS3()
  await new Promise<void>((resolve) => converter.listen(0, '127.0.0.1', resolve))
  stage = await setDocumentStage({
    environment: {
      DOCKET_CONVERTER_URL: `http://127.0.0.1:${(converter.address() as AddressInfo).port}/tika`,
      ...objectStore(),
    },
  })
})
afterAll(async () => {
  await stage.close()
  await s3.close()
  converter.closeAllConnections()
  converter.close()
})

const search = (query: string) =>
  stage.send('reader', `POST /get_relevant_documents?query=${encodeURIComponent(query)}`, {
    collection_names: ['outside'],
  })
const load = (docId: string, bytes: Buffer, rest = '') =>
  stage.sendFile('writer', `collection_name=outside${rest}`, { name: `${docId}.doc`, bytes }, { doc_id: docId })

describe('a file of a format that the converter reads, kept in an object store', () => {
  test('is found by what the converter read in it, and given back from the object store', async () => {
    expect(await load('old', oldWord)).toMatchObject({
      status: 200,
      body: { data: { doc_id: 'old', result: 'created', media_type: 'application/octet-stream', language: 'ru' } },
    })
    expect((await search('резервное копирование')).body).toMatchObject({
      data: [{ doc_id: 'old', file_name: 'old.doc', heading_path: ['Регламент'] }],
    })
    expect([...s3.objects.keys()]).toEqual([expect.stringMatching(/^desk\/[0-9a-f]{2}\/[0-9a-f]{64}$/)])
    const file = await fetch(`${stage.docket.baseUrl}/get_document_file?collection_name=outside&id_value=old`, {
      headers: { authorization: `Bearer ${stage.keys.reader}` },
    })
    expect(Buffer.from(await file.arrayBuffer())).toEqual(oldWord)
  })

  test('may be queued: it waits in the object store', async () => {
    expect((await load('later', Buffer.concat([oldWord, oldWord]), '&async=1')).status).toBe(202)
    await stage.send('reader', 'GET /get_document_status?collection_name=outside&id_value=later&stream=1')
    const status = await stage.send('reader', 'GET /get_document_status?collection_name=outside&id_value=later')
    expect(status.body).toMatchObject({ data: { state: 'ready', version: 1 } })
  })
})

test('docket documents verify reads the object store', async () => {
  const verify = () => runCommand(environment(), ['documents', 'verify'])
  const sound = await verify()
  expect(sound.output).toMatch(/^files: 2 files, 1\.6 kB: sound$/m)
  expect(sound.code).toBe(0)
  const [key = ''] = s3.objects.keys()
  const kept = s3.objects.get(key)
  if (kept === undefined) throw new Error('nothing is kept')
  s3.objects.delete(key)
  const missing = await verify()
  s3.objects.set(key, kept)
  expect(missing.output).toMatch(/^ {2}missing {2}outside: old \([0-9a-f]{64}\)$/m)
  expect(missing.code).toBe(1)
})

describe('what is outside of Docket fails', () => {
  const failures = () => stage.docket.observations.filter(({ kind }) => kind === 'documents-failed').length

  test('a load is for another try when the converter fails, and nothing of it is there', async () => {
    const before = failures()
    converterStatus = 500
    const response = await load('unread', Buffer.concat([oldWord, Buffer.from('1')]))
    converterStatus = 200
    expect(response).toMatchObject({
      status: 503,
      body: rejected('UNAVAILABLE', 'The program that reads files of this format does not respond correctly.'),
    })
    expect(response.headers['retry-after']).toBe('30')
    expect(failures()).toBe(before + 1)
    const names = await stage.send('reader', 'GET /get_list_of_documents_names?collection_name=outside')
    expect(names.body).toEqual(ok(['later', 'old']))
  })

  test('so it is when the object store fails, and a file cannot be given back meanwhile', async () => {
    const before = failures()
    const outage = rejected('UNAVAILABLE', 'The store of files does not respond correctly.')
    s3.failNext.push(403, 403)
    expect(await load('unkept', Buffer.concat([oldWord, Buffer.from('2')]))).toMatchObject({
      status: 503,
      body: outage,
    })
    s3.failNext.push(403, 403)
    expect(await load('unkept', Buffer.concat([oldWord, Buffer.from('3')]), '&async=1')).toMatchObject({
      status: 503,
      body: outage,
    })
    s3.failNext.push(403)
    const file = await stage.send('reader', 'GET /get_document_file?collection_name=outside&id_value=old')
    expect(file).toMatchObject({ status: 503, body: outage })
    expect(failures()).toBe(before + 3)
    // A search needs neither of them.
    expect((await search('копирование')).status).toBe(200)
  })

  test('a file that the converter rejects is rejected', async () => {
    converterStatus = 415
    const response = await load('refused', Buffer.concat([oldWord, Buffer.from('4')]))
    converterStatus = 200
    expect(response).toMatchObject({ status: 422, body: { errors: [{ code: 'UNREADABLE_DOCUMENT' }] } })
  })
})
