import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Embedder } from '../../src/embeddings/embedder.ts'
import { openLocalModel } from '../../src/embeddings/local/local-model.ts'
import { temporaryFolder } from '../harness/spawn-docket.ts'
import { tinyWords, writeTinyModel } from '../harness/tiny-model.ts'

// What a model can do to those who ask it. The package itself does none of this on demand, so it is stood in for.
const packageEntry = fileURLToPath(new URL('../harness/transformers-stand-in.cjs', import.meta.url))

async function using(config: object, timeoutMs: number, work: (model: Embedder) => Promise<void>): Promise<void> {
  const folder = join(temporaryFolder(), 'model')
  const words = { ...tinyWords, poison: [0, 0, 0, 666] }
  writeTinyModel(folder, { words, more: { 'config.json': { table: Object.values(words), ...config } } })
  const none = { pooling: null, dimensions: null, textPrefix: null, queryPrefix: null }
  const model = await openLocalModel({
    folder,
    ...none,
    textsOfRequest: 8,
    timeoutMs,
    queryTimeoutMs: 60_000,
    packageEntry,
  })
  try {
    await work(model)
  } finally {
    await model.close()
  }
}
const call = (model: Embedder, text: string, more: object = {}) => model.embed([text], { timeoutMs: 60_000, ...more })
const long = 60_000

describe('a model that', () => {
  test('throws rejects the text', () =>
    using({ fault: 'throws' }, long, async (model) => {
      expect(await call(model, 'printer')).toEqual({
        ok: false,
        error: { kind: 'refused', detail: 'the shapes do not fit' },
      })
    }))

  test('gives no vectors says what it gives', () =>
    using({ fault: 'no-vectors' }, long, async (model) => {
      expect(await call(model, 'printer')).toEqual({
        ok: false,
        error: { kind: 'refused', detail: 'the model gives no vectors, but logits' },
      })
    }))

  test('gives numbers that are none is not believed', () =>
    using({ fault: 'no-numbers' }, long, async (model) => {
      expect(await call(model, 'printer')).toEqual({
        ok: false,
        error: { kind: 'wrong-response', detail: 'it gave numbers that are none' },
      })
    }))

  test('dies over a text takes nobody with it, and is there again for the next', () =>
    using({ fault: 'dies' }, long, async (model) => {
      const requested = [call(model, 'printer'), call(model, 'poison'), call(model, 'router')]
      expect(await Promise.all(requested)).toMatchObject([
        { ok: true, value: [Float32Array.of(1, 0, 0, 0)] },
        {
          ok: false,
          error: { kind: 'refused', detail: expect.stringMatching(/^the process of the model ended \(SIG/) },
        },
        { ok: true, value: [Float32Array.of(0, 0, 1, 0)] },
      ])
    }))

  test('is slow: a search goes before documents that wait', () =>
    using({ delayMs: 30 }, long, async (model) => {
      const order: string[] = []
      const note = (what: string) => () => void order.push(what)
      await Promise.all([
        ...['d1', 'd2', 'd3'].map((name) => call(model, 'printer').then(note(name))),
        call(model, 'router', { isUrgent: true }).then(note('search')),
      ])
      expect(order.indexOf('search')).toBeLessThanOrEqual(1)
      expect(order).toHaveLength(4)
    }))

  test('hangs over documents is ended, and a search does not wait for it longer than it may', () =>
    using({ delayMs: 86_400_000 }, 200, async (model) => {
      const document = call(model, 'printer', { timeoutMs: 200 })
      const search = call(model, 'router', { timeoutMs: 100, isUrgent: true })
      const tooSlow = { ok: false, error: { kind: 'too-slow', detail: 'it did not respond in time' } }
      expect(await search).toEqual(tooSlow)
      expect(await document).toEqual(tooSlow)
      expect(await call(model, 'printer', { timeoutMs: 200 })).toEqual(tooSlow)
      // Also when it is a search that it hangs over, and one whose caller has gone.
      expect(await call(model, 'router', { timeoutMs: 300_000, isUrgent: true })).toEqual(tooSlow)
      expect(await call(model, 'router', { timeoutMs: 1, isUrgent: true })).toEqual(tooSlow)
      expect(await call(model, 'printer', { timeoutMs: 200 })).toEqual(tooSlow)
    }))

  test('is closed lets go of all who wait', async () => {
    let requested: Promise<unknown>[] = []
    await using({ delayMs: 86_400_000 }, long, async (model) => {
      const stopped = new AbortController()
      requested = [call(model, 'printer', { stop: stopped.signal }), call(model, 'router')]
      stopped.abort()
    })
    for (const made of await Promise.all(requested))
      expect(made).toMatchObject({ ok: false, error: { kind: 'unreachable' } })
  })
})
