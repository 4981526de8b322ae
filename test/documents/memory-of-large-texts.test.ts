import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { Prepared } from './prepare-large-text.ts'

const script = fileURLToPath(new URL('./prepare-large-text.ts', import.meta.url))

async function prepare(kind: string): Promise<Prepared> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, kind])
  return JSON.parse(stdout) as Prepared
}

/**
 * A load of 10 MB, the largest text, has this budget. With an object for each heading and an array of bytes for each term,
 * 700,000 headings took 1 GB, of which the allocator kept most.
 */
const budgetBytes = 600e6

test.each(['short headings', 'deep headings', 'paragraphs'])(
  'a text of 10 MB of %s is prepared within its budget of memory (issue 8, A10)',
  async (kind) => {
    const { blocks, chunks, segmentBytes, peakBytes } = await prepare(kind)
    expect(blocks).toBeGreaterThan(10_000)
    expect(blocks).toBeLessThan(50_000 + (2 * 10_000_000) / 1_000)
    expect(chunks).toBeLessThan(50_000)
    expect(segmentBytes).toBeLessThan(64e6)
    expect(peakBytes).toBeLessThan(budgetBytes)
  },
)
