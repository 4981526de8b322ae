import { crc32 } from 'node:zlib'
import type { Database, Session } from '../../src/database/database.ts'
import { keepTerms, readTerms } from '../../src/documents/store/kept-terms.ts'
import { sql } from '../../src/kernel/sql.ts'
import { checkedFrom, headerBytes, openPackedTerms } from '../../src/search-engine/segments/packed-terms.ts'
import { eachTerms, type KeptTerms } from '../../src/search-engine/segments/stored-terms.ts'

const documentsOfStatement = 500
/** The doc_ids of `fillCollection` begin with as many characters as the number of a copy has. */
const charactersOfCopy = 'doc'.length

interface CopiedDocument {
  readonly source: number
  readonly copy: number
  readonly docId: string
}

/** Copies of the documents of the collection `open`, with their chunks and kept terms. */
export interface Copying {
  /** Copies the next so many documents, in one transaction; after the last one, the first one again. */
  copyNext(documents: number): Promise<void>
}

export async function copyingOf(database: Database): Promise<Copying> {
  const ids = await readIds(database)
  const terms = await termsOf(database, ids)
  let at = 0
  let round = 1
  return {
    async copyNext(documents) {
      const sources = ids.slice(at, at + documents)
      await database.inTransaction((session) => copyWithTerms(session, { sources, terms, copy: round }))
      at += documents
      if (at < ids.length) return
      at = 0
      round++
    },
  }
}

/**
 * Copies each document of the collection `open`, with its chunks and kept terms, this many times: a large index without the time that the
 * terms of its texts would take. Lists of chunks grow as in a larger collection of like texts, the number of terms does not.
 */
export async function copyDocuments(session: Session, copies: number): Promise<void> {
  const ids = await readIds(session)
  for (let from = 0; from < ids.length; from += documentsOfStatement) {
    const sources = ids.slice(from, from + documentsOfStatement)
    const terms = await termsOf(session, sources)
    for (let copy = 1; copy <= copies; copy++) await copyWithTerms(session, { sources, terms, copy })
  }
  await session.rows(sql`vacuum analyze`)
}

async function readIds(session: Session): Promise<readonly number[]> {
  const rows = await session.rows(sql<{ id: string }>`
    select d.id from docket_documents.document d join docket_documents.collection c on c.id = d.collection_id
    where c.name = 'open' and d.removed_position is null order by d.id`)
  return rows.map(({ id }) => Number(id))
}

async function termsOf(session: Session, ids: readonly number[]): Promise<ReadonlyMap<number, Uint8Array>> {
  const terms = new Map<number, Uint8Array>()
  for (let from = 0; from < ids.length; from += documentsOfStatement)
    for (const { documentId, bytes } of eachTerms(
      await readTerms(session, ids.slice(from, from + documentsOfStatement)),
    ))
      terms.set(documentId, bytes)
  return terms
}

interface CopyOfDocuments {
  readonly sources: readonly number[]
  readonly terms: ReadonlyMap<number, Uint8Array>
  readonly copy: number
}

async function copyWithTerms(session: Session, { sources, terms, copy }: CopyOfDocuments): Promise<void> {
  const copied = await copyRows(session, sources, copy.toString(36).padStart(charactersOfCopy, '0'))
  await keepTerms(
    session,
    copied.map((each) => termsOfCopy(each, terms.get(each.source))),
  )
}

async function copyRows(
  session: Session,
  sources: readonly number[],
  code: string,
): Promise<readonly CopiedDocument[]> {
  const rows = await session.rows(sql<{ source: string; copy: string; doc_id: string }>`
    with next as (select docket_documents.next_position() as position),
    made as materialized (
      select d.id as source, nextval('docket_documents.document_id') as copy,
        ${code}::text || substr(d.doc_id, ${charactersOfCopy + 1}) as doc_id
      from docket_documents.document d where d.id = any (${sources}::bigint[])
    ), documents as (
      insert into docket_documents.document
      select (jsonb_populate_record(d, jsonb_build_object('id', made.copy, 'doc_id', made.doc_id, 'added_position', next.position))).*
      from made join docket_documents.document d on d.id = made.source, next
    ), chunks as (
      insert into docket_documents.chunk (document_id, chunk_index, from_unit, to_unit, heading_path, text)
      select made.copy, c.chunk_index, c.from_unit, c.to_unit, c.heading_path, c.text
      from made join docket_documents.chunk c on c.document_id = made.source
    )
    select made.source, made.copy, made.doc_id from made, docket_documents.reach_position((select position from next))`)
  return rows.map(({ source, copy, doc_id }) => ({ source: Number(source), copy: Number(copy), docId: doc_id }))
}

/** The same terms with the ids of the copy: both doc_ids have as many bytes. */
function termsOfCopy({ source, copy, docId }: CopiedDocument, terms: Uint8Array | undefined): KeptTerms {
  if (terms === undefined) throw new Error(`the document ${source} has no kept terms yet`)
  const bytes = Uint8Array.from(terms)
  bytes.set(new TextEncoder().encode(docId), headerBytes)
  const header = new DataView(bytes.buffer, 0, headerBytes)
  header.setFloat64(8, copy, true)
  header.setUint32(4, crc32(bytes.subarray(checkedFrom)), true)
  if (openPackedTerms(copy, bytes) === undefined) throw new Error('the terms of a copy cannot be read')
  return { documentId: copy, bytes }
}
