import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { convertElsewhere } from '../../src/documents/extract/convert-elsewhere.ts'
import { defaultExtractionLimits } from '../../src/documents/extract/extraction-limits.ts'
import { seen } from './read-bytes.ts'

const directory = mkdtempSync(join(tmpdir(), 'docket-convert-'))
const path = join(directory, 'picture')
let answerWith: (request: IncomingMessage, body: Buffer, response: ServerResponse) => void = () => undefined

/** A converter that the tests tell what to answer. */
const server = createServer((request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => answerWith(request, Buffer.concat(pieces), response))
})
beforeAll(async () => {
  writeFileSync(path, '\x89PNG picture')
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(directory, { recursive: true })
})

async function convert(maxTextUnits = 1_000, maxSeconds = 20): Promise<unknown> {
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tika`
  const limits = { ...defaultExtractionLimits, maxTextUnits }
  const result = await convertElsewhere({ path, fileName: 'a.png' }, { address, maxSeconds, limits })
  return result.ok ? seen(result.value) : result.error
}
const answer = (status: number, contentType: string, body: string | Buffer): void => {
  answerWith = (_, __, response) => response.writeHead(status, { 'content-type': contentType }).end(body)
}

describe('a file that the converter reads', () => {
  test('is sent whole, and its HTML read as a page', async () => {
    answerWith = (request, body, response) => {
      response.setHeader('content-type', 'text/html; charset=UTF-8')
      response.end(
        `<html><head><title>Скан</title></head><body><h1>${request.method} ${request.url}</h1><p>${body.length} bytes</p></body></html>`,
      )
    }
    expect(await convert()).toEqual({
      mediaType: 'application/octet-stream',
      title: 'Скан',
      blocks: ['heading1 PUT /tika', 'paragraph 13 bytes'],
    })
  })

  test('may come as Markdown or as plain text in another encoding', async () => {
    answer(200, 'text/markdown', '# Title\n\ntext')
    expect(await convert()).toMatchObject({ title: 'Title', blocks: ['heading1 # Title', 'paragraph text'] })
    answer(200, 'text/plain; charset=windows-1251', Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]))
    expect(await convert()).toMatchObject({ blocks: ['paragraph Привет'] })
  })
})

describe('a file that the converter does not read', () => {
  test.each([415, 422])('is refused when it says %i', async (status) => {
    answer(status, 'text/plain', 'no')
    expect(await convert()).toEqual({
      kind: 'unreadable-document',
      stage: 'extract',
      cause: 'damaged',
      detail: `the converter cannot read it (status ${status})`,
    })
  })

  test('is refused when nothing or too much comes back', async () => {
    answer(200, 'text/plain', ' \n')
    expect(await convert()).toMatchObject({ cause: 'no-text' })
    answer(200, 'text/plain', 'x'.repeat(5_000))
    expect(await convert()).toMatchObject({ cause: 'too-much-text' })
  })

  test('is for another try when the converter fails, leads elsewhere or takes too long', async () => {
    answer(503, 'text/plain', 'busy')
    await expect(convert()).rejects.toThrow('status 503')
    answerWith = (_, __, response) => response.writeHead(302, { location: '/other' }).end()
    await expect(convert()).rejects.toThrow()
    answerWith = () => undefined
    await expect(convert(1_000, 0.2)).rejects.toThrow(/timeout/i)
  })
})
