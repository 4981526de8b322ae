import { createHash } from 'node:crypto'
import type { Session } from '../../database/database.ts'
import { selectRows, selectStatement } from '../../database/select-statement.ts'
import { utcTimestamp } from '../../database/utc-timestamp.ts'
import { sql } from '../../kernel/sql.ts'
import { termsMadeAs } from '../../search-engine/segments/packed-terms.ts'
import type { Chunk } from '../chunk/chunk-text.ts'
import type { FilterValues } from '../filter/filter-values.ts'
import type { Collection } from './collections.ts'
import type { DocumentProperties } from './document-properties.ts'
import { joinedTerms, splitTerms } from './kept-terms.ts'

/** A version of a document that is ready to become the current one. */
export interface NewDocument extends DocumentProperties {
  readonly id: number
  readonly collectionId: number
  readonly filterValues: FilterValues
  readonly recordId: string | null
  readonly contentHash: Buffer
  readonly blobHash: Buffer | null
  /** Given with the text, which is then one chunk. */
  readonly vector: Float32Array | null
  /** Label of the encoding that the caller named. */
  readonly charset: string | null
  /** The `splitSignature` of its sizes. */
  readonly splitAs: string
  /** Sizes of the collection when the text was split. */
  readonly readSizes: Pick<Collection, 'chunkUnits' | 'overlapUnits'>
  readonly loadedAt: Date
  readonly loadedBy: string
  readonly text: string
  readonly chunks: readonly Chunk[]
  /** Packed terms; null: the first process that indexes the text computes them. */
  readonly terms: Uint8Array | null
  /** Ids of versions that this one replaces, besides the one of its doc_id. */
  readonly replaces: readonly number[]
}

export type Published =
  | {
      readonly result: 'created' | 'replaced' | 'unchanged'
      readonly documentId: number
      readonly version: number
      /** Sequence number of the change log of a state with the document. */
      readonly sequence: number
    }
  | { readonly result: 'collection-gone' }

export function vectorHash(vector: Float32Array): Buffer {
  return createHash('sha256')
    .update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
    .digest()
}

/** Chunks per statement. */
const chunksOfStatement = 2_000

/** Writes the chunks, then switches to the new version. Run it in a transaction, unless `isOneStatement`. */
export async function publishDocument(session: Session, document: NewDocument): Promise<Published> {
  const [published] = await publishDocuments(session, [document])
  return published ?? { result: 'collection-gone' }
}

/** Whether one statement writes and publishes it: the change log is then locked for no round trip. */
export function isOneStatement({ chunks }: NewDocument): boolean {
  return chunks.length <= chunksOfStatement
}

/** The same for several documents, in their order. */
export async function publishDocuments(
  session: Session,
  documents: readonly NewDocument[],
): Promise<readonly Published[]> {
  const texts = await writeAllButLast(session, documents)
  const rows = await selectRows(session, PUBLISH, [
    ...valuesOf(texts),
    JSON.stringify(documents.map((document) => ({ ...documentRowOf(document), ...furtherMembers(document) }))),
  ])
  return rows.map((row) =>
    row.result === 'collection-gone'
      ? { result: 'collection-gone' }
      : {
          result: row.result,
          documentId: Number(row.documentId),
          version: row.version,
          sequence: Number(row.sequence),
        },
  )
}

/** What one statement writes: chunks, and the terms of these documents. */
interface Texts {
  readonly chunks: readonly ChunkRow[]
  readonly documents: readonly NewDocument[]
}

interface ChunkRow {
  readonly documentId: number
  readonly chunk: Chunk
  readonly text: string
}

function chunkRowsOf({ id, text, chunks }: NewDocument): readonly ChunkRow[] {
  return chunks.map((chunk) => ({
    documentId: id,
    chunk,
    text: text.slice(chunk.from, chunk.to),
  }))
}

/** @returns what is left for one statement, with the terms */
async function writeAllButLast(session: Session, documents: readonly NewDocument[]): Promise<Texts> {
  const chunks = documents.flatMap(chunkRowsOf)
  let from = 0
  for (; chunks.length - from > chunksOfStatement; from += chunksOfStatement)
    await session.run(WRITE_TEXTS, valuesOf({ chunks: chunks.slice(from, from + chunksOfStatement), documents: [] }))
  return { chunks: chunks.slice(from), documents }
}

/** Deletes the chunks of versions that nobody can request. */
export async function deleteTexts(session: Session, documentIds: readonly (number | string)[]): Promise<void> {
  await session.rows(sql`
    with terms as (delete from docket_documents.document_terms where document_id = any (${documentIds}::bigint[]))
    delete from docket_documents.chunk where document_id = any (${documentIds}::bigint[])`)
}

/** The parameters of `WRITTEN_TEXTS`. */
function valuesOf({ chunks, documents }: Texts): readonly unknown[] {
  const kept = documents.flatMap(({ id, terms }) => (terms === null ? [] : { documentId: id, bytes: terms }))
  return [
    termsMadeAs,
    ...joinedTerms(kept),
    chunks.map(({ documentId }) => documentId),
    chunks.map(({ chunk }) => chunk.index),
    chunks.map(({ chunk }) => chunk.from),
    chunks.map(({ chunk }) => chunk.to),
    chunks.map(({ chunk }) => chunk.page ?? null),
    chunks.map(({ chunk }) => chunk.pageTo ?? null),
    chunks.map(({ chunk }) => JSON.stringify(chunk.headingPath)),
    chunks.map(({ text }) => text),
    chunks.map(({ chunk }) => chunk.repeated ?? null),
  ]
}

const WRITTEN_TEXTS = `
  with kept as (
    insert into docket_documents.document_terms (document_id, made_as, terms)
    select k.document_id, $1, k.terms from ${splitTerms('$2', '$3', '$4')} as k
    returning document_id
  ), written as (
    insert into docket_documents.chunk (document_id, chunk_index, from_unit, to_unit, page, page_to, heading_path, text, repeated)
    select c.document_id, c.chunk_index, c.from_unit, c.to_unit, c.page, c.page_to,
           array(select jsonb_array_elements_text(c.heading_path)), c.text, c.repeated
    from unnest($5::bigint[], $6::integer[], $7::integer[], $8::integer[], $9::integer[], $10::integer[], $11::jsonb[], $12::text[],
      $13::text[]) as c (document_id, chunk_index, from_unit, to_unit, page, page_to, heading_path, text, repeated)
    returning document_id
  ), texts as (
    select (select count(*) from kept) + (select count(*) from written) as count
  )`

const WRITE_TEXTS = { name: 'write-texts', text: `${WRITTEN_TEXTS} select count from texts` }

interface PublishedRow {
  readonly result: 'created' | 'replaced' | 'unchanged' | 'collection-gone'
  readonly documentId: string
  readonly version: number
  readonly sequence: string
}

/** Everything is written before the log is locked: the rows to publish depend on the number of written rows. */
const PUBLISH = selectStatement<PublishedRow>({
  name: 'publish-documents',
  before: WRITTEN_TEXTS,
  columns: {
    result: 'p.result',
    documentId: 'p.document_id',
    version: 'p.document_version',
    sequence: 'p.reached',
  },
  from: `
    from texts cross join lateral jsonb_array_elements(case when texts.count >= 0 then $14::jsonb end) with ordinality as new (row, place)
    cross join lateral docket_documents.load_document(new.row) p
    order by new.place`,
})

function furtherMembers({ replaces, readSizes }: NewDocument) {
  return { replaces, read_chunk_units: readSizes.chunkUnits, read_overlap_units: readSizes.overlapUnits }
}

function documentRowOf(document: NewDocument) {
  return {
    id: document.id,
    collection_id: document.collectionId,
    doc_id: document.docId,
    metadata: document.metadata,
    filter_values: document.filterValues,
    record_id: document.recordId,
    title: document.title,
    file_name: document.fileName,
    media_type: document.mediaType,
    language: document.language,
    size: document.size,
    characters: document.characters,
    pages: document.pages,
    chunk_count: document.chunks.length,
    flags: document.flags,
    content_hash: `\\x${document.contentHash.toString('hex')}`,
    blob_hash: document.blobHash === null ? null : `\\x${document.blobHash.toString('hex')}`,
    vector_hash: document.vector === null ? null : `\\x${vectorHash(document.vector).toString('hex')}`,
    charset: document.charset,
    cut_as: document.splitAs,
    loaded_at: utcTimestamp(document.loadedAt),
    loaded_by: document.loadedBy,
  }
}

/**
 * Replaces the chunks of a document; it stays the same version. Run it in a transaction.
 *
 * @param before id of the version whose chunks are replaced
 * @returns false, and nothing is written, when that version does not exist any more
 */
export async function replaceChunks(session: Session, document: NewDocument, before: number): Promise<boolean> {
  await session.run(WRITE_TEXTS, valuesOf(await writeAllButLast(session, [document])))
  const [row] = await session.rows(sql<{ done: boolean }>`
    select docket_documents.replace_chunks(
      jsonb_populate_record(null::docket_documents.document, ${JSON.stringify(documentRowOf(document))}::jsonb),
      ${before}::bigint) as done`)
  if (row?.done === true) return true
  await deleteTexts(session, [document.id])
  return false
}
