import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fileNameFor } from './export-command.ts'
import { readSidecar } from './find-sources.ts'
import { readLineDocument } from './read-line-document.ts'
import { asMetadata } from './read-metadata-option.ts'

describe('a line of NDJSON', () => {
  test.each([
    ['{"id":7,"title":"T","text":"x"}', { text: 'x', metadata: { doc_id: '7', title: 'T' } }],
    ['{"doc_id":"a","text":""}', { text: '', metadata: { doc_id: 'a' } }],
    [
      '{"text":"x","metadata":{"a":1},"priority":2,"tags":["v"]}',
      { text: 'x', metadata: { a: 1, priority: 2, tags: ['v'] } },
    ],
    ['{"id":"a","title":"","note":null,"text":"x"}', { text: 'x', metadata: { doc_id: 'a' } }],
    [
      '{"doc_id":"a","collection_name":"kb","text":"x","metadata":{"doc_id":"a"},"file_name":"a.md","media_type":"text/markdown","version":3}',
      { text: 'x', metadata: { doc_id: 'a' } },
    ],
    [
      '{"id":12345678901234567890,"text":"x","metadata":{"n":98765432109876543210}}',
      { text: 'x', metadata: { doc_id: '12345678901234567890', n: '98765432109876543210' } },
    ],
  ])('%s', (line, value) => {
    expect(readLineDocument(line)).toEqual({ ok: true, value })
  })

  test.each([
    ['{"text":"x"', 'it is not a JSON object'],
    ['["x"]', 'it is not a JSON object'],
    ['{"id":1}', 'it has no member text that is a string'],
    ['{"text":["x"]}', 'it has no member text that is a string'],
    ['{"text":"x","metadata":[]}', 'its metadata is not a JSON object'],
  ])('%s is rejected: %s', (line, error) => {
    expect(readLineDocument(line)).toEqual({ ok: false, error })
  })
})

describe('--metadata', () => {
  test('values are what they read as, but for keys that are texts', () => {
    const given = [
      'sys_id=155931135900000001',
      'priority=1',
      'flag=true',
      'tags=["vpn","dns"]',
      'team=first line',
      'x=a=b',
      'n=',
    ]
    expect(given.reduce((before, text) => asMetadata(text, before), {})).toEqual({
      sys_id: '155931135900000001',
      priority: 1,
      flag: true,
      tags: ['vpn', 'dns'],
      team: 'first line',
      x: 'a=b',
      n: '',
    })
    expect(asMetadata(' {"priority":2,"a":"b"}', { priority: 1, c: 3 })).toEqual({ priority: 2, a: 'b', c: 3 })
  })

  test.each(['no equals sign', '=value', '{"a":'])('%s is rejected', (text) => {
    expect(() => asMetadata(text)).toThrow(/Write key=value|not a JSON object/)
  })
})

test('a doc_id never becomes more than a name of a file', () => {
  expect(fileNameFor('guides/vpn.md')).toBe('guides%2Fvpn.md')
  expect(fileNameFor('../../etc/passwd')).toBe('%2E.%2F..%2Fetc%2Fpasswd')
  expect(fileNameFor('Регламент №5.docx')).toBe('Регламент %E2%84%965.docx')
  expect(fileNameFor('a\0b\\c:d\ud800')).toBe('a%00b%5Cc%3Ad%EF%BF%BD')
  expect(Buffer.byteLength(fileNameFor('ж'.repeat(300)))).toBeLessThan(255)
  expect(fileNameFor('ж'.repeat(300))).not.toBe(fileNameFor('ж'.repeat(301)))
})

test('metadata keep all digits of their numbers, as the server stores them, and a metadata file is not overlooked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'docket-sidecar-'))
  try {
    writeFileSync(join(folder, 'a.txt.metadata.json'), '{"order":12345678901234567890,"n":1.5}')
    expect(await readSidecar(join(folder, 'a.txt'))).toEqual({ order: '12345678901234567890', n: 1.5 })
    expect(asMetadata('order=12345678901234567890')).toEqual({ order: '12345678901234567890' })
    expect(asMetadata('{"order":12345678901234567890}')).toEqual({ order: '12345678901234567890' })
    // One that is there and cannot be read is not taken for none.
    mkdirSync(join(folder, 'b.txt.metadata.json'))
    await expect(readSidecar(join(folder, 'b.txt'))).rejects.toThrow(/b\.txt\.metadata\.json cannot be read \(EISDIR/)
    expect(await readSidecar(join(folder, 'c.txt'))).toEqual({})
  } finally {
    rmSync(folder, { recursive: true })
  }
})
