import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteCollection, deleteDocument } from '../../src/documents/delete-documents.ts'
import { listCollectionNames } from '../../src/documents/list-collections.ts'
import { listDocumentNames } from '../../src/documents/list-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { readContent } from '../../src/documents/read-content.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import { sql } from '../../src/kernel/sql.ts'
import { callerWith, documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

/** Records that the caller in the second test may read. */
let readableIds: readonly string[] = []

let fresh: FreshDatabase
let rooms: readonly [TestDocumentDeps, TestDocumentDeps]
beforeAll(async () => {
  fresh = await freshDatabase()
  const readableRecords: TestDocumentDeps['readableRecords'] = async () => (id) =>
    sql<boolean>`${id} = any (${readableIds}::text[])`
  rooms = [await openDocumentDeps(fresh, { readableRecords }), await openDocumentDeps(fresh, { readableRecords })]
})
afterAll(async () => {
  for (const deps of rooms) await deps.close()
  await fresh.drop()
})

const words = ['toner', 'router', 'вирус', 'монитор', 'ERR-42']
const text = fc.array(fc.constantFrom(...words, 'filler'), { minLength: 1, maxLength: 30 }).map((all) => all.join(' '))
const collection = fc.constantFrom('one', 'two', 'три')
const docId = fc.constantFrom('a', 'b', 'c', 'd')
const process = fc.constantFrom(0 as const, 1 as const)

type Command =
  | {
      readonly kind: 'load'
      readonly process: 0 | 1
      readonly collection: string
      readonly docId: string
      readonly text: string
      readonly priority: number
    }
  | { readonly kind: 'delete'; readonly process: 0 | 1; readonly collection: string; readonly docId: string }
  | { readonly kind: 'delete-collection'; readonly process: 0 | 1; readonly collection: string }
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('load' as const),
      process,
      collection,
      docId,
      text,
      priority: fc.integer({ min: 0, max: 2 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), process, collection, docId }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete-collection' as const), process, collection }) },
)

interface Held {
  readonly text: string
  readonly priority: number
  readonly version: number
}
type Model = Map<string, Map<string, Held>>

test('loads, replacements and deletions in any order, from two processes at once, are what a simple model says', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { minLength: 1, maxLength: 15 }),
      fc.constantFrom(...words),
      async (commands, word) => {
        const model: Model = new Map()
        for (const name of ['one', 'two', 'три']) await deleteCollection(rooms[0], documentAdmin, name)
        for (const command of commands) {
          const responded = await responseOf(command)
          expect(responded, JSON.stringify(command)).toEqual(stepOf(model, command))
          // Every process has the state of the model at once.
          await expectState(rooms[command.process === 0 ? 1 : 0], model, word)
        }
        await expectState(rooms[0], model, word)
      },
    ),
    { numRuns: 40 },
  )
})

async function responseOf(command: Command): Promise<unknown> {
  const deps = rooms[command.process]
  const { collection: collectionName } = command
  if (command.kind === 'load') {
    const metadata = { doc_id: command.docId, priority: command.priority }
    const loaded = await loadText(deps, documentAdmin, { collectionName, metadata, text: command.text })
    return loaded.ok ? { result: loaded.value.result, version: loaded.value.version } : loaded.error.kind
  }
  const gone =
    command.kind === 'delete'
      ? await deleteDocument(deps, documentAdmin, collectionName, command.docId)
      : await deleteCollection(deps, documentAdmin, collectionName)
  return gone.ok ? gone.value : gone.error.kind
}

function stepOf(model: Model, command: Command): unknown {
  const held = model.get(command.collection)
  if (command.kind === 'delete-collection') {
    model.delete(command.collection)
    return held === undefined ? 'thing-not-found' : held.size
  }
  if (command.kind === 'delete') return held?.delete(command.docId) === true ? 1 : 'thing-not-found'
  const documents = held ?? new Map<string, Held>()
  model.set(command.collection, documents)
  const before = documents.get(command.docId)
  const { text, priority } = command
  if (before?.text === text && before.priority === priority) return { result: 'unchanged', version: before.version }
  const version = (before?.version ?? 0) + 1
  documents.set(command.docId, { text, priority, version })
  return { result: before === undefined ? 'created' : 'replaced', version }
}

async function expectState(deps: TestDocumentDeps, model: Model, word: string): Promise<void> {
  const names = [...model.keys()].sort(byBytes)
  expect(await listCollectionNames(deps, documentAdmin)).toEqual({ ok: true, value: names })
  const found = await searchDocuments(deps, documentAdmin, {
    query: word,
    k: 1_000,
    collectionNames: null,
    filter: 'priority>0',
  })
  if (!found.ok) throw new Error(found.error.kind)
  const expected = [...model].flatMap(([collectionName, documents]) =>
    [...documents].flatMap(([docId, { text, priority }]) =>
      priority > 0 && text.includes(word) ? [{ collectionName, docId, text }] : [],
    ),
  )
  const identity = ({ collectionName, docId, text }: (typeof expected)[number]) => `${collectionName} ${docId} ${text}`
  expect(found.value.hits.map(identity).sort()).toEqual(expected.map(identity).sort())
  for (const [name, documents] of model) {
    const listed = await listDocumentNames(deps, documentAdmin, {
      collectionName: name,
      filter: '',
      limit: 10_000,
      after: null,
    })
    expect(listed).toEqual({ ok: true, value: { documents: [...documents.keys()].sort(byBytes), next: null } })
    const content = await readContent(deps, documentAdmin, {
      collectionName: name,
      filter: '',
      limit: 100,
      after: null,
    })
    if (!content.ok) throw new Error(content.error.kind)
    const texts = await Promise.all(
      content.value.documents.map(async ({ docId, version, text }) => [docId, version, await wholeOf(text())]),
    )
    expect(texts).toEqual(
      [...documents].sort(([x], [y]) => byBytes(x, y)).map(([docId, { version, text }]) => [docId, version, text]),
    )
  }
}

async function wholeOf(pieces: AsyncIterable<string>): Promise<string> {
  let whole = ''
  for await (const piece of pieces) whole += piece
  return whole
}

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

test('under random rights and filters, a result is exactly what the ranking of all visible documents leaves when the filter strikes out others (issue 8, A1)', async () => {
  const bound = 'bound to records'
  await loadText(rooms[0], documentAdmin, { collectionName: bound, metadata: { doc_id: 'first' }, text: 'x' })
  await deleteDocument(rooms[0], documentAdmin, bound, 'first')
  await fresh.database.rows(sql`update docket_documents.collection set acl_table = 'task' where name = ${bound}`)
  const documents = Array.from({ length: 40 }, (_, at) => ({
    metadata: { sys_id: String(100 + at), priority: at % 5 },
    text: Array.from({ length: 1 + (at % 7) }, (_, n) => words[(at * 3 + n * n) % words.length]).join(' '),
  }))
  for (const { metadata, text } of documents) {
    await loadText(rooms[0], documentAdmin, { collectionName: bound, metadata, text })
    if (Number(metadata.sys_id) % 3 === 0)
      await loadText(rooms[1], documentAdmin, { collectionName: 'open', metadata, text })
  }
  await loadText(rooms[0], documentAdmin, { collectionName: bound, metadata: {}, text: 'toner of no record' })
  const reader = callerWith(['document_reader'])
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(documents.map(({ metadata }) => metadata.sys_id)),
      fc.constantFrom('', 'priority=1', 'priority>2', 'priorityNOT IN1,2', 'sys_idENDSWITH7', 'absent=1'),
      fc.subarray(words, { minLength: 1 }),
      fc.integer({ min: 1, max: 12 }),
      async (ids, filter, query, k) => {
        const search = { query: query.join(' '), collectionNames: [bound, 'open'] }
        readableIds = documents.map(({ metadata }) => metadata.sys_id)
        const passing = await searchDocuments(rooms[0], reader, { ...search, k: 1_000, filter })
        readableIds = ids
        const all = await searchDocuments(rooms[0], reader, { ...search, k: 1_000, filter: '' })
        const some = await searchDocuments(rooms[1], reader, { ...search, k, filter })
        if (!all.ok || !passing.ok || !some.ok) throw new Error('refused')
        const passes = new Set(passing.value.hits.map(({ documentId }) => documentId))
        const mayRead = (hit: (typeof all.value.hits)[number]): boolean =>
          passes.has(hit.documentId) && (hit.collectionName === 'open' || ids.includes(String(hit.metadata['sys_id'])))
        expect(
          all.value.hits.every((hit) => hit.collectionName === 'open' || ids.includes(String(hit.metadata['sys_id']))),
        ).toBe(true)
        expect(some.value.hits).toEqual(all.value.hits.filter(mayRead).slice(0, k))
        const counted = await listDocumentNames(rooms[1], reader, {
          collectionName: bound,
          filter: '',
          limit: 10_000,
          after: null,
        })
        expect(counted).toEqual({ ok: true, value: { documents: [...ids].sort(byBytes), next: null } })
      },
    ),
    { numRuns: 60 },
  )
})

test('while a document is replaced again and again, every search finds it exactly once, in every process', async () => {
  const load = (n: number) =>
    loadText(rooms[n % 2 === 0 ? 0 : 1], documentAdmin, {
      collectionName: 'hot',
      metadata: { doc_id: 'hot' },
      text: `hot potato number ${n}`,
    })
  await load(0)
  let isOver = false
  let newest = 0
  const replacing = (async () => {
    for (let n = 1; n <= 80; n++) {
      await load(n)
      newest = n
    }
    isOver = true
  })()
  let searches = 0
  const searching = rooms.map(async (deps) => {
    while (!isOver) {
      const atLeast = newest
      const found = await searchDocuments(deps, documentAdmin, {
        query: 'potato',
        k: 5,
        collectionNames: ['hot'],
        filter: searches % 2 === 0 ? '' : 'doc_id=hot',
      })
      if (!found.ok) throw new Error(found.error.kind)
      const numbers = found.value.hits.map(({ text }) => Number(text.split(' ').at(-1)))
      expect(numbers).toHaveLength(1)
      expect(numbers[0]).toBeGreaterThanOrEqual(atLeast)
      searches++
    }
  })
  await Promise.all([replacing, ...searching])
  expect(searches).toBeGreaterThan(0)
})
