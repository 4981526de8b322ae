import { mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openedUnnamed } from '../../../test/harness/unnamed-files.ts'
import { startThread } from '../../processes/worker-thread.ts'
import type { VectorWork } from './vector-thread.ts'
import type { VectorsInMemoryOptions } from './vectors-in-memory.ts'

test('after its file was lost, a thread responds to no call, not even to those sent before it ended (issue 14, vectors)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'docket-vector-thread-'))
  const data: VectorsInMemoryOptions = { minApproximate: 25_000, inFile: { folder, memoryBytes: 0 } }
  const thread = startThread<VectorWork>(new URL('./vector-thread.ts', import.meta.url), undefined, { data })
  try {
    const numbers = Float32Array.from({ length: 16 }, (_, at) => at + 1)
    const vectors = [{ collectionId: 1, documentId: 1, docId: 'd', firstChunk: 0, numbers }]
    await thread.call('add', { vectors, length: 16, begun: [1] })
    truncateSync(openedUnnamed(folder)[0]?.path ?? '', 0)
    const many = [{ ...vectors[0], numbers: new Float32Array(16 * 100_000).fill(1) } as (typeof vectors)[number]]
    const [before, ...after] = await Promise.allSettled([
      // Long enough for the others to arrive meanwhile.
      thread.call('fingerprintsOf', { vectors: many, length: 16 }),
      thread.call('fingerprints', null),
      thread.call('markRemoved', []),
      thread.call('fingerprintsOf', { vectors, length: 16 }),
    ])
    expect(before?.status).toBe('fulfilled')
    expect(after.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  } finally {
    await thread.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
