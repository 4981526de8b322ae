import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/database.ts'
import { deleteCollection, deleteDocument } from '../../src/documents/delete-documents.ts'
import { fillCollections } from '../../src/documents/fill-collections.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import { clearDocuments } from '../../src/documents/store/clear-away.ts'
import { keepTerms, readTerms } from '../../src/documents/store/kept-terms.ts'
import { readTexts } from '../../src/documents/sync/read-document-changes.ts'
import { sql } from '../../src/kernel/sql.ts'
import { buildSegment } from '../../src/search-engine/segments/build-segment.ts'
import { termsOfDocument } from '../../src/search-engine/segments/document-terms.ts'
import { packTerms, readableTerms, termsMadeAs } from '../../src/search-engine/segments/packed-terms.ts'
import { eachTerms, type KeptTerms } from '../../src/search-engine/segments/stored-terms.ts'
import { callerWith, documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { openOtherIndex } from '../harness/open-other-index.ts'
import { languageTexts } from './language-texts.ts'

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
beforeEach(async () => {
  await deleteCollection(deps, documentAdmin, 'kb')
  await clearAway()
})

test('stored terms are those of the texts in any language, and an index of them gives the same results (issue 14, 1)', async () => {
  const text = fc.array(fc.constantFrom(...languageTexts.map((each) => each.text), '# Toner\n\nprinter\n\n'), {
    minLength: 1,
    maxLength: 3,
  })
  const steps = fc.array(fc.tuple(fc.nat(5), fc.option(text, { freq: 4 })), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      for (const [doc, parts] of all)
        if (parts === null) await deleteDocument(deps, documentAdmin, 'kb', `doc-${doc}`)
        else await load(`doc-${doc}`, parts.join('\n'), { title: parts[0]?.slice(0, 20) ?? '' })
      const ids = await documentIds()
      expect(hexOf(eachTerms(await readTerms(fresh.database, ids)))).toEqual(hexOf(await termsOfTexts(ids)))
      const other = openOther()
      await other.index.whenReady()
      expect(other.readTexts).toBe(0)
      expect((await other.index.verify()).differences).toBe(0)
      for (const query of ['toner printer', 'заказ на принтер', 'Bestellung', 'commande', '注文'])
        expect(await hits({ ...deps, index: other.index }, query)).toEqual(await hits(deps, query))
      await other.close()
    }),
    { numRuns: 3 },
  )
})

test.each(['session', 'transaction'] as const)(
  'bytes of terms are read as they are, with settings for each %s, beside statements that return texts (issue 14, 1)',
  async (pooling) => {
    await load('doc-0', 'toner of printer 0')
    const [id = 0] = await documentIds()
    const everyByte = Uint8Array.from({ length: 70_000 }, (_, at) => at % 256)
    await keepTerms(fresh.database, [{ documentId: id, bytes: everyByte }])
    const database = openDatabase({
      connectionString: fresh.connectionString,
      maxConnections: 1,
      statementTimeoutMs: 30_000,
      pooling,
    })
    for (let n = 0; n < 2; n++) {
      const [kept] = eachTerms(await readTerms(database, [id]))
      expect(kept?.documentId).toBe(id)
      expect(Buffer.from(kept?.bytes ?? []).equals(everyByte)).toBe(true)
      const text = await database.run({ name: 'a-text', text: `select 'Тонер'::text, 7::integer, null::text` }, [])
      expect(text).toEqual([['Тонер', 7, null]])
    }
    await database.close()
  },
)

test('documents without terms, and with those of another version, are read from their texts once (issue 14, 1)', async () => {
  for (let at = 0; at < 6; at++) await load(`doc-${at}`, `toner of printer ${at}`)
  const kept = await rowsOfTerms()
  await fresh.database.rows(sql`
    delete from docket_documents.document_terms where document_id = ${kept[0]?.documentId ?? 0}`)
  await fresh.database.rows(sql`
    update docket_documents.document_terms set made_as = '0/0', terms = '\\x00' where document_id = ${kept[1]?.documentId ?? 0}`)
  const first = openOther()
  await first.index.whenReady()
  expect(first.readTexts).toBe(2)
  expect(await hits({ ...deps, index: first.index }, 'toner')).toEqual(await hits(deps, 'toner'))
  expect((await rowsOfTerms()).map(withoutRow)).toEqual(kept.map(withoutRow))
  const written = await rowsOfTerms()
  await first.index.rebuild(null)
  expect(first.readTexts).toBe(2)
  expect((await first.index.verify()).differences).toBe(0)
  // Neither writes a row that says the same.
  expect(await rowsOfTerms()).toEqual(written)
  expect(first.errors).toEqual([])
  await first.close()
})

test('terms that were stored in an earlier layout are read, and stay', async () => {
  await load('doc-0', 'toner of printer 0')
  await fresh.database.rows(sql`update docket_documents.document_terms set made_as = ${readableTerms.at(-1)}::text`)
  const stored = await rowsOfTerms()
  const other = openOther()
  await other.index.whenReady()
  expect(other.readTexts).toBe(0)
  expect(await hits({ ...deps, index: other.index }, 'toner')).toEqual(await hits(deps, 'toner'))
  expect(await rowsOfTerms()).toEqual(stored)
  expect(stored.map(({ isOurs }) => isOurs)).toEqual([false])
  await other.close()
})

const damages: readonly [name: string, damaged: ReturnType<typeof sql>][] = [
  ['changed in one byte', sql`set_byte(terms, octet_length(terms) / 2, get_byte(terms, octet_length(terms) / 2) # 1)`],
  ['cut short', sql`substr(terms, 1, octet_length(terms) - 1)`],
  ['empty', sql`''::bytea`],
  [
    'those of another document',
    sql`(select o.terms from docket_documents.document_terms o where o.document_id <> t.document_id limit 1)`,
  ],
]
test.each(damages)('terms that are %s are noticed, told of and rebuilt (issue 14, 1)', async (_name, damaged) => {
  for (let at = 0; at < 3; at++) await load(`doc-${at}`, `toner of printer ${at}`)
  const kept = await rowsOfTerms()
  const [id = 0] = await documentIds()
  await fresh.database.rows(
    sql`update docket_documents.document_terms t set terms = ${damaged} where document_id = ${id}`,
  )
  const other = openOther()
  await other.index.whenReady()
  expect(other.errors.map(String)).toEqual([
    `Error: docket_documents.document_terms: the terms of 1 documents are damaged (document_id ${id}); they are made again from their texts`,
  ])
  expect(other.readTexts).toBe(1)
  expect(await hits({ ...deps, index: other.index }, 'toner')).toEqual(await hits(deps, 'toner'))
  expect((await rowsOfTerms()).map(withoutRow)).toEqual(kept.map(withoutRow))
  await other.close()
})

test('terms that are not those of the text are replaced by a comparison, so that the next index is right (issue 14, 1)', async () => {
  await load('doc-1', 'toner')
  await fresh.database.rows(sql`
    update docket_documents.chunk set text = 'modem' where document_id = any (${await documentIds()}::bigint[])`)
  expect((await deps.index.verify()).differences).toBe(1)
  await deps.index.rebuild(null)
  expect((await deps.index.verify()).differences).toBe(0)
  expect(await hits(deps, 'modem')).toMatchObject([{ docId: 'doc-1' }])
})

test('a load that changes nothing keeps nothing, and terms go with their document (issue 14, 1)', async () => {
  await load('doc-1', 'toner')
  await load('doc-1', 'toner')
  await load('doc-2', 'printer')
  const ids = await documentIds()
  expect((await rowsOfTerms()).map(({ documentId }) => documentId)).toEqual(ids)
  const [gone = 0, stays = 0] = ids
  const made = await termsOfTexts(ids)
  await deleteDocument(deps, documentAdmin, 'kb', 'doc-1')
  await clearAway()
  // Another process made them before the document was cleared away, and writes them now.
  await keepTerms(fresh.database, made)
  expect((await rowsOfTerms()).map(({ documentId }) => documentId)).toEqual([stays])
  expect(gone).not.toBe(stays)
})

test('documents that came without terms are found, and have theirs from then on (issue 14, 1)', async () => {
  const texts = [{ metadata: { doc_id: 'doc-1' }, text: 'toner of a collection that Docket brings along' }]
  await fresh.database.inTransaction((session) =>
    fillCollections(session, [{ name: 'kb', texts }], { by: callerWith([]).userId, now: new Date() }),
  )
  expect(await rowsOfTerms()).toEqual([])
  await deps.index.refresh()
  expect(await hits(deps, 'toner')).toMatchObject([{ docId: 'doc-1' }])
  const ids = await documentIds()
  expect(hexOf(eachTerms(await readTerms(fresh.database, ids)))).toEqual(hexOf(await termsOfTexts(ids)))
})

// ── what the tests say ──

/** An index of a process that begins with nothing, and counts the documents whose texts it indexes. */
function openOther() {
  let readTexts = 0
  const { index, errors } = openOtherIndex(fresh.database, {
    beforeBuild: (kind, documents) => {
      if (kind === 'build') readTexts += documents
    },
  })
  return {
    index,
    errors,
    get readTexts() {
      return readTexts
    },
    close: () => index.close(),
  }
}

async function load(docId: string, text: string, metadata: Record<string, string> = {}): Promise<void> {
  const loaded = await loadText(deps, documentAdmin, {
    collectionName: 'kb',
    metadata: { ...metadata, doc_id: docId },
    text,
  })
  if (!loaded.ok) throw new Error(loaded.error.kind)
}

async function hits(process: TestDocumentDeps, query: string) {
  const found = await searchDocuments(process, documentAdmin, { query, k: 1_000, collectionNames: null, filter: '' })
  if (!found.ok) throw new Error(found.error.kind)
  return found.value.hits
}

async function documentIds(): Promise<readonly number[]> {
  const rows = await fresh.database.rows(sql<{ id: string }>`
    select id from docket_documents.document where removed_position is null order by id`)
  return rows.map(({ id }) => Number(id))
}

/** With what PostgreSQL says when a row is written again. */
async function rowsOfTerms() {
  const rows = await fresh.database.rows(sql<{ document_id: string; made_as: string; terms: string; row: string }>`
    select document_id, made_as, encode(terms, 'hex') as terms, xmin::text as row
    from docket_documents.document_terms order by document_id`)
  return rows.map(({ document_id, made_as, terms, row }) => ({
    documentId: Number(document_id),
    isOurs: made_as === termsMadeAs,
    terms,
    row,
  }))
}

function withoutRow({ row: _, ...kept }: Awaited<ReturnType<typeof rowsOfTerms>>[number]) {
  return kept
}

async function termsOfTexts(ids: readonly number[]): Promise<readonly KeptTerms[]> {
  const texts = await readTexts(fresh.database, ids)
  return texts.map((text) => ({ documentId: text.id, bytes: packTerms(buildSegment([termsOfDocument(text)])) }))
}

function hexOf(kept: Iterable<KeptTerms>): ReadonlyMap<number, string> {
  return new Map(
    [...kept]
      .sort((one, other) => one.documentId - other.documentId)
      .map(({ documentId, bytes }) => [documentId, Buffer.from(bytes).toString('hex')]),
  )
}

/** Of all that was removed, as some minutes later. */
async function clearAway(): Promise<void> {
  await deps.index.refresh()
  while ((await clearDocuments(fresh.database, new Date(Date.now() + 60_000))) > 0) {
    // There may be more.
  }
}
