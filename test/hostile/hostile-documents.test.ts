import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ExtractedText } from '../../src/extraction/extracted-text.ts'
import { defaultExtractionLimits } from '../../src/extraction/extraction-limits.ts'
import { type ExtractorPool, openExtractorPool } from '../../src/extraction/process/extractor-pool.ts'
import type { FileProblem } from '../../src/extraction/rejection.ts'
import type { Result } from '../../src/kernel/result.ts'
import { wordDocument, wordParagraph } from '../documents/write-office.ts'
import { hostileFiles } from './hostile-files.ts'

vi.setConfig({ testTimeout: 300_000 })

const directory = mkdtempSync(join(tmpdir(), 'docket-hostile-'))
const fixtures = new URL('../fixtures/documents/', import.meta.url)
let pool: ExtractorPool
let files = 0

beforeAll(() => {
  pool = openExtractorPool({
    processes: 2,
    filesPerProcess: 50,
    maxMemoryMb: 512,
    // Far above what any of them takes: on a busy machine, too, no test may fail for want of time.
    maxSeconds: 240,
    limits: defaultExtractionLimits,
    readableDirectories: [directory],
  })
})
afterAll(async () => {
  await pool.close()
  rmSync(directory, { recursive: true })
})

async function extract(
  bytes: Uint8Array,
  fileName = 'upload',
  from = pool,
): Promise<Result<ExtractedText, FileProblem>> {
  const path = join(directory, `file-${files++}`)
  writeFileSync(path, bytes)
  try {
    return await from.extract({ path, fileName })
  } finally {
    rmSync(path)
  }
}

const causeOf = (problem: FileProblem): string =>
  problem.kind === 'unreadable-document' ? problem.cause : problem.kind

describe('a hostile file is rejected by name or read aright, and costs the server nothing', () => {
  test.each(hostileFiles(10))('$name', async ({ bytes, rejected, text }) => {
    const content = bytes()
    const before = process.memoryUsage().rss
    const result = await extract(content)
    const grownMb = (process.memoryUsage().rss - before) / 1024 / 1024
    if (rejected !== undefined)
      expect(result.ok ? result.value.text.slice(0, 100) : causeOf(result.error)).toBe(rejected)
    else if (text !== undefined) expect(result.ok ? result.value.text : result.error).toBe(text)
    else expect(result.ok ? 'read' : result.error).toBe('read')
    expect(grownMb).toBeLessThan(256)
    // The pool goes on as if nothing had been.
    const next = await extract(wordDocument(wordParagraph('still here')))
    expect(next.ok ? next.value.text : next.error).toBe('still here')
  })
})

/** What may come of a broken file: never a crash, never a lack of time. */
const fairCauses = new Set([
  'damaged',
  'encrypted',
  'no-text',
  'archive-limits',
  'too-many-pages',
  'too-much-text',
  'forbidden-markup',
  'out-of-memory',
  'unsupported-media-type',
])
const expectFair = (result: Result<ExtractedText, FileProblem>): void => {
  expect(result.ok || fairCauses.has(causeOf(result.error)) ? 'fair' : result).toBe('fair')
}

describe.each(readdirSync(fixtures))('%s', (name) => {
  const whole = readFileSync(new URL(name, fixtures))

  test('cut off anywhere', async () => {
    for (const share of [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.9999])
      expectFair(await extract(whole.subarray(0, Math.ceil(whole.length * share)), name))
  })

  test('with bytes changed anywhere', async () => {
    const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255))
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 20 }), async (changes) => {
        const broken = Buffer.from(whole)
        for (const [at, byte] of changes) broken[at] = byte
        expectFair(await extract(broken, name))
      }),
      { numRuns: 15 },
    )
  })

  test('with another ending to its name', async () => {
    const [named, misnamed] = await Promise.all([extract(whole, name), extract(whole, '../../etc/passwd\0.html')])
    expect(misnamed).toEqual(named)
  })
})

test.each([
  ['PDF', '%PDF-1.7\n'],
  ['archive', 'PK\x03\x04'],
  ['RTF', '{\\rtf1'],
  ['HTML', '<!doctype html>'],
  ['XML', '<?xml version="1.0"?>'],
  ['mail', 'From: a@b.c\r\nTo: d@e.f\r\nSubject: x\r\n\r\n'],
  ['JSON', '{"a":'],
  ['nothing', ''],
])('random bytes behind the beginning of %s', async (_, head) => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (noise) => {
      expectFair(await extract(Buffer.concat([Buffer.from(head, 'latin1'), noise])))
    }),
    { numRuns: 25 },
  )
})

describe('limits of a process', () => {
  const withLimits = async (
    limits: { maxMemoryMb?: number; maxSeconds?: number },
    work: (pool: ExtractorPool) => Promise<void>,
  ): Promise<void> => {
    const narrow = openExtractorPool({
      processes: 1,
      filesPerProcess: 50,
      maxMemoryMb: 512,
      maxSeconds: 30,
      limits: defaultExtractionLimits,
      readableDirectories: [directory],
      ...limits,
    })
    try {
      await work(narrow)
    } finally {
      await narrow.close()
    }
  }
  const large = Buffer.from(`<html>${'<p>words and <b>more</b> words</p>'.repeat(400_000)}`)

  test('lesson "parsers take 25 seconds": a file over its time is rejected, the next one is read', async () => {
    await withLimits({ maxSeconds: 0.3 }, async (narrow) => {
      const slow = await extract(large, 'a.html', narrow)
      expect(slow).toEqual({
        ok: false,
        error: {
          kind: 'unreadable-document',
          stage: 'extract',
          cause: 'out-of-time',
          detail: 'reading it takes more than 0.3 seconds',
        },
      })
    })
  })

  test('lesson "bombs of 2 MB take a gigabyte": a file over its memory is rejected, the next one is read', async () => {
    // Twice what the process itself has before it reads anything, so that only the file can be too much.
    await withLimits({ maxMemoryMb: 200 }, async (narrow) => {
      const greedy = await extract(Buffer.concat([large, large, large]), 'a.html', narrow)
      expect(greedy).toEqual({
        ok: false,
        error: {
          kind: 'unreadable-document',
          stage: 'extract',
          cause: 'out-of-memory',
          detail: 'reading it takes more than 200 MB of memory',
        },
      })
      const next = await extract(Buffer.from('small'), 'a.txt', narrow)
      expect(next.ok ? next.value.text : next.error).toBe('small')
    })
  })

  test('a process reads nothing but the program and what it is given', async () => {
    await expect(pool.extract({ path: '/etc/hostname', fileName: 'a.txt' })).rejects.toThrow(/could not be read/)
  })

  test('files wait for a free process, and each gets its own response', async () => {
    const texts = Array.from({ length: 30 }, (_, index) => `text number ${index}`)
    const results = await Promise.all(texts.map((text) => extract(Buffer.from(text))))
    expect(results.map((result) => (result.ok ? result.value.text : result.error))).toEqual(texts)
  })

  test('a closed pool rejects what waits and what comes', async () => {
    const closing = openExtractorPool({
      processes: 1,
      filesPerProcess: 50,
      maxMemoryMb: 512,
      maxSeconds: 30,
      limits: defaultExtractionLimits,
      readableDirectories: [directory],
    })
    const path = join(directory, 'waits')
    writeFileSync(path, 'x')
    const pending = [1, 2, 3].map(() => closing.extract({ path, fileName: 'a.txt' }))
    const settled = Promise.allSettled(pending)
    await closing.close()
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    await expect(closing.extract({ path, fileName: 'a.txt' })).rejects.toThrow(/stopped/)
  })
})
