import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadText } from '../../src/documents/load-document.ts'
import { documentStatus } from '../../src/documents/load-status.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import type { Embedder } from '../../src/embeddings/embedder.ts'
import { type LocalModelOptions, openLocalModel } from '../../src/embeddings/local/local-model.ts'
import { readModelFolder } from '../../src/embeddings/local/read-model-folder.ts'
import { sql } from '../../src/kernel/sql.ts'
import { StartFailure } from '../../src/kernel/start-failure.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { temporaryFolder } from '../harness/spawn-docket.ts'
import { type TinyModelOptions, tinyWords, transformersEntry, writeTinyModel } from '../harness/tiny-model.ts'

/** Names of folders are a user's. */
const folderOf = (options: TinyModelOptions = {}): string => {
  const folder = join(temporaryFolder(), 'крошка model v1.5')
  writeTinyModel(folder, options)
  return folder
}
const optionsOf = (folder: string, more: Partial<LocalModelOptions> = {}): LocalModelOptions => ({
  folder,
  pooling: null,
  dimensions: null,
  textsOfRequest: 32,
  timeoutMs: 120_000,
  queryTimeoutMs: 120_000,
  textPrefix: null,
  queryPrefix: null,
  packageEntry: transformersEntry,
  ...more,
})

/** Opens a model for a while. */
async function using<T>(options: LocalModelOptions, work: (model: Embedder) => Promise<T>): Promise<T> {
  const model = await openLocalModel(options)
  try {
    return await work(model)
  } finally {
    await model.close()
  }
}
const embed = (model: Embedder, ...texts: readonly string[]) => model.embed(texts, { timeoutMs: 120_000 })
/** To six places, as plain numbers. */
const plain = (made: Awaited<ReturnType<Embedder['embed']>>): unknown =>
  made.ok ? made.value.map((vector) => [...vector].map((number) => Math.round(number * 1e6) / 1e6 + 0)) : made.error

const half = Math.round(Math.SQRT1_2 * 1e6) / 1e6

describe('vectors of a model in a folder', () => {
  test('are of length 1, one for each text, whatever the others are and however many there are', async () => {
    await using(optionsOf(folderOf()), async (model) => {
      expect(plain(await embed(model, 'printer'))).toEqual([[1, 0, 0, 0]])
      expect(plain(await embed(model, 'Принтер vacation', 'сеть', 'router router holiday holiday'))).toEqual([
        [half, half, 0, 0],
        [0, 0, 1, 0],
        [0, half, half, 0],
      ])
      const many = Array.from({ length: 21 }, (_, n) => 'printer '.repeat((n % 5) + 1) + (n % 2 === 0 ? '' : 'holiday'))
      const whole = plain(await embed(model, ...many)) as readonly number[][]
      expect(whole).toHaveLength(21)
      for (const [n, text] of many.entries()) expect([whole[n]]).toEqual(plain(await embed(model, text)))
      expect(plain(await model.embed([], { timeoutMs: 1 }))).toEqual([])
    })
  })

  test('are pooled as its folder says, or as it is set', async () => {
    const marked = { ...tinyWords, '[CLS]': [0, 0, 0, 3], '[SEP]': [0, 0, 4, 0] }
    const mode = (name: string) => ({ '1_Pooling/config.json': { [`pooling_mode_${name}`]: true } })
    const first = folderOf({ words: marked, more: mode('cls_token') })
    const last = folderOf({ words: marked, more: mode('lasttoken') })
    const texts = ['printer', 'printer printer printer']
    await using(optionsOf(first), async (model) =>
      expect(plain(await embed(model, ...texts))).toEqual([
        [0, 0, 0, 1],
        [0, 0, 0, 1],
      ]),
    )
    await using(optionsOf(last), async (model) =>
      expect(plain(await embed(model, ...texts))).toEqual([
        [0, 0, 1, 0],
        [0, 0, 1, 0],
      ]),
    )
    await using(optionsOf(last, { pooling: 'mean' }), async (model) => {
      const [[one = 0] = []] = plain(await embed(model, 'printer')) as number[][]
      expect(one).toBeCloseTo(1 / Math.hypot(1, 3, 4), 5)
    })
  })

  test('are cut to the length that is asked for; texts to what the model takes', async () => {
    await using(optionsOf(folderOf({ maxTokens: 4 }), { dimensions: 2 }), async (model) => {
      expect(model.model.requestedLength).toBe(2)
      // Three words are left behind the first mark.
      expect(plain(await embed(model, 'printer printer holiday holiday'))).toEqual([[0.894427, 0.447214]])
    })
  })

  test('are made with what the model wants before texts and queries', async () => {
    const prompts = { 'config_sentence_transformers.json': { prompts: { query: 'query: ', passage: 'passage: ' } } }
    await using(optionsOf(folderOf({ more: prompts })), async (model) => {
      expect(model).toMatchObject({ textPrefix: 'passage:', queryPrefix: 'query:', model: { textPrefix: 'passage:' } })
    })
    await using(optionsOf(folderOf({ more: prompts }), { textPrefix: 'search_document:' }), async (model) => {
      expect(model).toMatchObject({ textPrefix: 'search_document:', queryPrefix: 'query:' })
    })
  })

  test('come from the smaller weights where there are no others', async () => {
    const folder = folderOf({ ending: '_quantized' })
    expect(await readModelFolder(folder, null)).toMatchObject({ dtype: 'q8', subfolder: 'onnx', maxTokens: 16 })
    await using(optionsOf(folder), async (model) => expect(plain(await embed(model, 'router'))).toEqual([[0, 0, 1, 0]]))
  })

  test('are told from those of another content by the name', async () => {
    const [one, same, other] = [folderOf(), folderOf(), folderOf({ words: { ...tinyWords, printer: [0, 1, 0, 0] } })]
    const nameOf = async (folder: string, pooling: LocalModelOptions['pooling'] = null) =>
      (await readModelFolder(folder, pooling)).name
    expect(await nameOf(one)).toMatch(/^крошка model v1\.5@[0-9a-f]{12}$/)
    expect(await nameOf(same)).toBe(await nameOf(one))
    expect(await nameOf(other)).not.toBe(await nameOf(one))
    expect(await nameOf(one, 'cls')).not.toBe(await nameOf(one))
  })
})

describe('a model that cannot be used ends the start with a sentence', () => {
  const rejection = (path: string, why: string) =>
    new StartFailure(`DOCKET_EMBEDDINGS_FOLDER is ${path}, which holds no model that can be used: ${why}.`, {
      exitCode: 2,
    })

  test('no folder', async () => {
    await expect(openLocalModel(optionsOf('/no/such/folder'))).rejects.toEqual(
      rejection('/no/such/folder', 'there is no such folder'),
    )
  })

  test.each(['config.json', 'tokenizer.json', 'tokenizer_config.json'])('no %s', async (file) => {
    const folder = folderOf()
    rmSync(join(folder, file))
    await expect(openLocalModel(optionsOf(folder))).rejects.toEqual(rejection(folder, `it has no ${file}`))
  })

  test('no weights', async () => {
    const folder = folderOf()
    rmSync(join(folder, 'onnx', 'model.onnx'))
    await expect(openLocalModel(optionsOf(folder))).rejects.toEqual(
      rejection(folder, 'it has no onnx/model.onnx, nor one of the smaller ones (model_quantized.onnx …)'),
    )
  })

  test.each([
    ['{"a":', 'its config.json is not JSON'],
    ['[]', 'its config.json is not as such files are'],
  ])('a config.json that is %s', async (content, why) => {
    const folder = folderOf()
    writeFileSync(join(folder, 'config.json'), content)
    await expect(openLocalModel(optionsOf(folder))).rejects.toEqual(rejection(folder, why))
  })

  test('no package', async () => {
    const { packageEntry: _, ...options } = optionsOf(folderOf())
    await expect(openLocalModel(options)).rejects.toEqual(
      new StartFailure(
        'DOCKET_EMBEDDINGS_FOLDER needs the package @huggingface/transformers, which Docket does not bring along. ' +
          'Install it beside Docket: npm install --no-save --ignore-scripts @huggingface/transformers@4',
        { exitCode: 2 },
      ),
    )
  })
})

test('invalid weights are reported, and callers get a response', async () => {
  const folder = folderOf()
  writeFileSync(join(folder, 'onnx', 'model.onnx'), 'no weights')
  // The stand-in reads no weights.
  const broken = process.env['DOCKET_TEST_TRANSFORMERS']
    ? folder
    : folderOf({ more: { 'config.json': { fault: 'does-not-load' } } })
  await using(optionsOf(broken), async (model) => {
    const requested = [embed(model, 'printer'), model.embed(['router'], { timeoutMs: 120_000, isUrgent: true })]
    for (const made of await Promise.all(requested))
      expect(made).toMatchObject({
        ok: false,
        error: { kind: 'failed', detail: expect.stringMatching(/^the model cannot be loaded: ./) },
      })
    expect(await embed(model, 'printer')).toMatchObject({ ok: false, error: { kind: 'failed' } })
  })
})

describe('a search by meaning with a model of this machine', () => {
  let fresh: FreshDatabase
  let deps: TestDocumentDeps
  beforeAll(async () => {
    fresh = await freshDatabase()
    const prompts = { 'config_sentence_transformers.json': { prompts: { query: 'query: ', passage: 'passage: ' } } }
    deps = await openDocumentDeps(fresh, { localModel: optionsOf(folderOf({ more: prompts })) })
  })
  afterAll(async () => {
    await deps.close()
    await fresh.drop()
  })

  test('finds by what words mean', async () => {
    for (const [doc_id, text] of [
      ['leave', 'Отпуск.'],
      ['device', 'Принтер.'],
      ['net', 'Сеть.'],
    ] as const)
      await loadText(deps, documentAdmin, { collectionName: 'kb', metadata: { doc_id }, text })
    for (const docId of ['leave', 'device', 'net'])
      for (;;) {
        const status = await documentStatus(deps, documentAdmin, 'kb', docId)
        if (status.ok && status.value.vectors === 'ready') break
        await pause(10)
      }
    for (const [query, docId] of [
      ['vacation', 'leave'],
      ['printer', 'device'],
      ['router', 'net'],
    ] as const) {
      const requested = { query, k: 1, collectionNames: null, filter: '', mode: 'hybrid' as const }
      expect(await searchDocuments(deps, documentAdmin, requested)).toMatchObject({
        ok: true,
        value: { mode: 'hybrid', warnings: [], hits: [{ docId }] },
      })
    }
    const models = await fresh.database.rows(
      sql`select name, text_prefix from docket_documents.embedding_model where not is_caller`,
    )
    expect(models).toEqual([{ name: expect.stringMatching(/^крошка model v1\.5@/), text_prefix: 'passage:' }])
  })
})
