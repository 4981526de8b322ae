import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadText } from '../../src/documents/load-document.ts'
import type { LexicalIndex } from '../../src/documents/sync/lexical-index.ts'
import { openLexicalIndex } from '../../src/documents/sync/open-lexical-index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { startThread } from '../../src/processes/worker-thread.ts'
import { unpackRanking } from '../../src/search-engine/ranking/pack-ranking.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

// An index with three threads that search the same segments.

let fresh: FreshDatabase
let deps: TestDocumentDeps
beforeAll(async () => {
  fresh = await freshDatabase()
  deps = await openDocumentDeps(fresh)
})
afterAll(async () => {
  await deps.close()
  await fresh.drop()
})

interface Threads {
  readonly index: LexicalIndex
  /** Ends the thread that searches with this number. */
  kill(at: number): Promise<void>
}

function openThreads(): Threads {
  const kills: (() => Promise<void>)[] = []
  const index = openLexicalIndex({
    database: fresh.database,
    folder: null,
    clock: systemClock,
    searchThreads: 3,
    onError: () => undefined,
    startThread: (file, onLost) => {
      const lost: (() => void)[] = []
      const thread = startThread(file, () => {
        onLost?.()
        for (const resolve of lost.splice(0)) resolve()
      })
      if (file.pathname.endsWith('/search-thread.ts'))
        kills.push(async () => {
          const gone = new Promise<void>((resolve) => lost.push(resolve))
          thread.end()
          await gone
        })
      return thread as never
    },
  })
  return { index, kill: async (at) => kills[at]?.() }
}

async function load(docId: string, text: string): Promise<void> {
  const request = { collectionName: 'kb', text, metadata: { doc_id: docId }, language: null }
  const loaded = await loadText(deps, documentAdmin, request as never)
  expect(loaded).toMatchObject({ ok: true })
}

/** Concurrent searches are distributed among the threads. */
function foundBy(index: LexicalIndex, count: number): Promise<readonly number[]> {
  return Promise.all(
    Array.from({ length: count }, () =>
      index.withSnapshot(async (view) => {
        const [collection] = await index.sizes()
        const search = { collectionIds: [collection?.collectionId ?? 0], terms: [{ term: 'toner', count: 1 }] }
        const packed = await view.search(index.position(), { ...search, options: { k: 100 } } as never)
        return unpackRanking(packed).ranked.length
      }),
    ),
  )
}

test('all threads find the same, also after some of them died and after later loads (issue 14, 3)', async () => {
  for (let n = 0; n < 5; n++) await load(`doc-${n}`, `toner number ${n}`)
  const { index, kill } = openThreads()
  await index.whenReady()
  expect(await foundBy(index, 9)).toEqual(Array.from({ length: 9 }, () => 5))
  await kill(0)
  await kill(2)
  expect(await foundBy(index, 9)).toEqual(Array.from({ length: 9 }, () => 5))
  await load('later', 'toner again')
  await index.refresh()
  expect(await foundBy(index, 9)).toEqual(Array.from({ length: 9 }, () => 6))
  await kill(1)
  await index.refresh()
  for (const at of [0, 2]) await kill(at)
  expect(await foundBy(index, 9)).toEqual(Array.from({ length: 9 }, () => 6))
  expect((await index.verify()).differences).toBe(0)
  await index.close()
})
