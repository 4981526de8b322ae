import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { done, onCurrentCatalog, outdated, retryOnStaleEpoch } from './retry-on-stale-epoch.ts'

const sources = globSync('src/**/*.ts', { exclude: (name) => name.endsWith('.test.ts') }).map((file) => ({
  file,
  text: readFileSync(file, 'utf8'),
}))
const filesWith = (pattern: RegExp): readonly string[] =>
  sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file)

test('one loop repeats work whose rights or dictionary changed (issue 9, step 2)', () => {
  expect(sources.length).toBeGreaterThan(300)
  // They read a new snapshot once: for openapi.json, and for the page of a table after a change of it.
  const once = ['src/endpoints/server/openapi-documents.ts', 'src/endpoints/records/table-endpoints.ts']
  expect(filesWith(/\bcatalog\.refresh\(/).filter((file) => !once.includes(file))).toEqual([
    'src/records/retry-on-stale-epoch.ts',
  ])
  const loop = /\b(for|while) \([^\n]*\b(attempt|turn|true)\b|\bfor \(;;\)/
  const asks = /\bisCurrent\(|=== 'identity-changed'/
  const repeating = filesWith(loop).filter((file) => asks.test(readFileSync(file, 'utf8')))
  // It reads page after page, each with the rights at that time.
  const paging = ['src/endpoints/changes/event-endpoint.ts']
  expect(repeating.toSorted()).toEqual(paging)
})

test('work goes on from newer rights until it is done, and gives up after so many turns', async () => {
  const seen: number[] = []
  const work = async (rights: number) => {
    seen.push(rights)
    return rights
  }
  const turnOf = (found: number) => (found === 3 ? done('result') : outdated(found + 1))
  expect(await retryOnStaleEpoch(1, { max: 3, turnOf }, work)).toBe('result')
  expect(seen).toEqual([1, 2, 3])
  expect(await retryOnStaleEpoch(1, { max: 2, turnOf }, work)).toBe(null)
  const later = async (found: number) => turnOf(found)
  expect(await retryOnStaleEpoch(1, { max: 3, turnOf: later }, work)).toBe('result')
})

test('a snapshot that turned out to be old is read again before the next turn', async () => {
  const snapshots = ['old', 'new'].map((epoch) => ({ epoch }) as never)
  let refreshed = 0
  const catalog = {
    current: async () => snapshots[0] as never,
    refresh: async () => {
      refreshed += 1
      return snapshots[1] as never
    },
  }
  const work = async ({ epoch }: { readonly epoch: string }) => (epoch === 'old' ? null : epoch)
  expect(await onCurrentCatalog({ catalog }, work)).toBe('new')
  expect(refreshed).toBe(1)
  expect(await onCurrentCatalog({ catalog }, async () => null)).toBe(null)
  expect(refreshed).toBe(21)
})
