import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultExtractionLimits } from '../../src/extraction/extraction-limits.ts'
import {
  defaultExtractorPoolOptions,
  type ExtractorPool,
  openExtractorPool,
} from '../../src/extraction/process/extractor-pool.ts'
import { extractorWithConverter } from '../../src/extraction/remote-converter.ts'
import { seen } from './read-bytes.ts'

const directory = mkdtempSync(join(tmpdir(), 'docket-convert-'))
const scratchFolder = mkdtempSync(join(tmpdir(), 'docket-converted-'))
const path = join(directory, 'picture')
let pool: ExtractorPool
let respondWith: (request: IncomingMessage, body: Buffer, response: ServerResponse) => void = () => undefined

/** A converter whose responses the tests choose. */
const server = createServer((request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => respondWith(request, Buffer.concat(pieces), response))
})
const limits = { ...defaultExtractionLimits, maxTextUnits: 1_000 }
beforeAll(async () => {
  writeFileSync(path, '\x89PNG\r\n\x1a\npicture', 'latin1')
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  pool = openExtractorPool({
    ...defaultExtractorPoolOptions,
    limits,
    readableDirectories: [directory, scratchFolder],
  })
})
afterAll(async () => {
  await pool.close()
  server.closeAllConnections()
  server.close()
  rmSync(directory, { recursive: true })
  rmSync(scratchFolder, { recursive: true })
})

async function convert({
  maxSeconds = 100,
  file = path,
}: {
  maxSeconds?: number
  file?: string
} = {}): Promise<unknown> {
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tika`
  const extractor = extractorWithConverter(pool, { address, maxSeconds, limits, scratchFolder })
  try {
    const result = await extractor.extract({ path: file, fileName: 'a.png' })
    return result.ok ? seen(result.value) : result.error
  } finally {
    expect(readdirSync(scratchFolder)).toEqual([])
  }
}
const respond = (status: number, contentType: string, body: string | Buffer): void => {
  respondWith = (_, __, response) => response.writeHead(status, { 'content-type': contentType }).end(body)
}

describe('a file that the converter reads', () => {
  test('is sent whole, and its HTML read as a page', async () => {
    respondWith = (request, body, response) => {
      response.setHeader('content-type', 'text/html; charset=UTF-8')
      response.end(
        `<html><head><title>Скан</title></head><body><h1>${request.method} ${request.url}</h1><p>${body.length} bytes</p></body></html>`,
      )
    }
    expect(await convert()).toEqual({
      mediaType: 'application/octet-stream',
      title: 'Скан',
      blocks: ['heading1 PUT /tika', 'paragraph 15 bytes'],
    })
  })

  test('may come as Markdown or as plain text in another encoding', async () => {
    respond(200, 'text/markdown', '# Title\n\ntext')
    expect(await convert()).toMatchObject({ title: 'Title', blocks: ['heading1 # Title', 'paragraph text'] })
    respond(200, 'text/plain; charset=windows-1251', Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]))
    expect(await convert()).toMatchObject({ blocks: ['paragraph Привет'] })
  })
})

test('a file that Docket reads itself is not sent anywhere', async () => {
  const note = join(directory, 'note')
  writeFileSync(note, 'Just a note.')
  respond(500, 'text/plain', 'not asked')
  expect(await convert({ file: note })).toMatchObject({ mediaType: 'text/plain', blocks: ['paragraph Just a note.'] })
})

describe('a file that the converter does not read', () => {
  test.each([415, 422])('is rejected when it says %i', async (status) => {
    respond(status, 'text/plain', 'no')
    expect(await convert()).toEqual({
      kind: 'unreadable-document',
      stage: 'extract',
      cause: 'damaged',
      detail: `the converter cannot read it (status ${status})`,
    })
  })

  test('is rejected when nothing, too much or no text comes back', async () => {
    respond(200, 'text/plain', ' \n')
    expect(await convert()).toMatchObject({ cause: 'no-text' })
    respond(200, 'text/plain', 'x'.repeat(5_000))
    expect(await convert()).toMatchObject({ cause: 'too-much-text' })
    respond(200, 'text/html', Buffer.from('\x89PNG\r\n\x1a\nthe same again', 'latin1'))
    expect(await convert()).toMatchObject({ kind: 'unsupported-media-type' })
  })

  test('is for another try when the converter fails, leads elsewhere or takes too long', async () => {
    respond(503, 'text/plain', 'busy')
    await expect(convert()).rejects.toThrow('status 503')
    respondWith = (_, __, response) => response.writeHead(302, { location: '/other' }).end()
    await expect(convert()).rejects.toThrow('the converter failed')
    respondWith = () => undefined
    await expect(convert({ maxSeconds: 0.2 })).rejects.toThrow(/timeout/i)
  })
})
