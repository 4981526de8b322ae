import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { PreparedStatement, Session } from '../../src/database/database.ts'
import { configureCollection } from '../../src/documents/configure-collection.ts'
import { deleteCollection, deleteDocument } from '../../src/documents/delete-documents.ts'
import type { DocumentDeps } from '../../src/documents/document-deps.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { type SearchFound, searchDocuments } from '../../src/documents/search-documents.ts'
import { callerWith, documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

vi.setConfig({ testTimeout: 120_000 })

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

const reader = callerWith(['document_reader'])
const vector = Float32Array.of(1, 0.5, 0.25, 0)

/** What happens after the search has begun, and before the database says what there is. */
const changes = {
  nothing: async () => undefined,
  'a document is deleted': (name: string) => deleteDocument(deps, documentAdmin, name, 'a'),
  'a document is replaced': (name: string) => load(name, 'a', 'The scanner beeps', [0, 0, 0, 1]),
  'a better document is loaded': (name: string) => load(name, 'new', 'The printer jams, printer, jams', [...vector]),
  'the caller may not read it any more': (name: string) =>
    configureCollection(deps, documentAdmin, name, { readerRole: 'document_writer' }),
  'it is bound to a table of which the caller sees no record': (name: string) =>
    configureCollection(deps, documentAdmin, name, { aclTable: 'task' }),
  'it is deleted': (name: string) => deleteCollection(deps, documentAdmin, name),
} satisfies Record<string, (name: string) => Promise<unknown>>

test.each(Object.keys(changes) as (keyof typeof changes)[])(
  'a search that began before its collections were read responds as if it had waited for them: %s',
  async (change) => {
    for (const mode of ['lexical', 'vector', 'hybrid'] as const) {
      const name = await filled(`${mode}-${Object.keys(changes).indexOf(change)}`)
      const before = await whenExpected(name, mode)
      const held = holding(deps, 'read-collections')
      const found = search(held.deps, name, mode)
      // It has ended but for what the database says of its collections.
      await held.hasRun('read-chunks')
      await changes[change](name)
      held.release()
      const response = await found
      expect(response).toEqual(await search(deps, name, mode))
      if (change === 'nothing') {
        expect(response).toEqual(before)
        expect(held.statements.filter((statement) => statement === 'read-chunks')).toHaveLength(1)
      } else expect(response).not.toEqual(before)
    }
  },
)

test('a search of collections that the caller may not read, or whose rights depend on records, does not begin early', async () => {
  const name = await filled('rights')
  await whenExpected(name, 'hybrid')
  const held = holding(deps, 'read-collections')
  const denied = searchDocuments(held.deps, callerWith([]), searchOf(name, 'hybrid'))
  await held.hasBegun('read-collections')
  expect(held.statements).toEqual(['read-collections'])
  held.release()
  expect(await denied).toMatchObject({ ok: false })
  await configureCollection(deps, documentAdmin, name, { aclTable: 'task' })
  await whenExpected(name, 'hybrid')
  const other = holding(deps, 'read-collections')
  const bound = search(other.deps, name, 'hybrid')
  await other.hasBegun('read-collections')
  expect(other.statements).toEqual(['read-collections'])
  other.release()
  expect(await bound).toMatchObject({ ok: true, value: { hits: [] } })
})

test('no text is sent to a reranker before the collections are known', async () => {
  const name = await filled('reranker')
  await whenExpected(name, 'hybrid')
  const held = holding(deps, 'read-collections')
  const reranker = { url: 'http://127.0.0.1:1/rerank', key: null, model: 'none', timeoutMs: 1_000 }
  const found = search({ ...held.deps, reranker, onError: () => undefined }, name, 'hybrid')
  await held.hasBegun('read-collections')
  expect(held.statements).toEqual(['read-collections'])
  held.release()
  expect(await found).toMatchObject({ ok: true, value: { warnings: [{ kind: 'reranker-failed' }] } })
})

test('a document that is deleted while the texts are read belongs to the searched state', async () => {
  const name = await filled('deleted-meanwhile')
  const before = await whenExpected(name, 'hybrid')
  const held = holding(deps, 'read-chunks')
  const found = search(held.deps, name, 'hybrid')
  await Promise.all([held.hasBegun('read-chunks'), held.hasRun('read-collections')])
  await deleteDocument(deps, documentAdmin, name, 'a')
  held.release()
  expect(await found).toEqual(before)
  expect(await search(deps, name, 'hybrid')).not.toEqual(before)
})

async function load(collectionName: string, docId: string, text: string, given: readonly number[]): Promise<void> {
  const metadata = { doc_id: docId, sys_id: docId }
  const sent = { collectionName, metadata, text, vector: [...given] }
  expect(await loadText(deps, documentAdmin, sent)).toMatchObject({ ok: true })
}

async function filled(name: string): Promise<string> {
  await configureCollection(deps, documentAdmin, name, { embeddingsModel: 'caller', vectorLength: vector.length })
  await load(name, 'a', 'The printer jams', [1, 0.5, 0.2, 0])
  await load(name, 'b', 'A printer', [1, 0, 0, 0])
  await load(name, 'c', 'The network is slow', [1, 0.5, 0.25, 0.1])
  return name
}

type Mode = 'lexical' | 'vector' | 'hybrid'

function searchOf(name: string, mode: Mode) {
  const given = mode === 'lexical' ? {} : { vector }
  return { query: 'printer jams', k: 2, collectionNames: [name], filter: '', mode, ...given }
}

function search(some: DocumentDeps, name: string, mode: Mode) {
  return searchDocuments(some, reader, searchOf(name, mode))
}

/** After it, a search of the collection may begin early. */
async function whenExpected(name: string, mode: Mode): Promise<Awaited<ReturnType<typeof search>>> {
  let found: { readonly ok: true; readonly value: SearchFound } | undefined
  for (let quiet = 0; quiet < 2; ) {
    const response = await search(deps, name, mode)
    if (response.ok) {
      found = response
      quiet++
    } else if (response.error.kind === 'index-building') await pause(20)
    else throw new Error(JSON.stringify(response.error))
  }
  if (found === undefined) throw new Error('nothing was searched')
  return found
}

/** Statements with these names wait until they are released. */
function holding(some: DocumentDeps, ...names: readonly string[]) {
  const gates = new Map(names.map((name) => [name, Promise.withResolvers<void>()]))
  const begun = new Map<string, PromiseWithResolvers<void>>()
  const run = new Map<string, PromiseWithResolvers<void>>()
  const statements: string[] = []
  const signalOf = (signals: typeof begun, name: string): PromiseWithResolvers<void> => {
    const signal = signals.get(name) ?? Promise.withResolvers<void>()
    signals.set(name, signal)
    return signal
  }
  const runHeld: Session['run'] = async (statement: PreparedStatement, values) => {
    statements.push(statement.name)
    signalOf(begun, statement.name).resolve()
    await gates.get(statement.name)?.promise
    const rows = await some.database.run(statement, values)
    signalOf(run, statement.name).resolve()
    return rows
  }
  const database = new Proxy(some.database, {
    get(target, name) {
      if (name === 'run') return runHeld
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  return {
    deps: { ...some, database },
    statements,
    hasBegun: (name: string) => signalOf(begun, name).promise,
    hasRun: (name: string) => signalOf(run, name).promise,
    release(...released: readonly string[]) {
      for (const [name, gate] of gates) if (released.length === 0 || released.includes(name)) gate.resolve()
    },
  }
}
