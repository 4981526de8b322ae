import type { Database } from '../../src/database/database.ts'
import { sql } from '../../src/kernel/sql.ts'

const vectorsOfStatement = 500

export interface VectorFill {
  readonly count: number
  readonly length: number
  readonly draw: () => Float32Array
  /** The text of a document; default: two words, of which one is in every document. */
  readonly text?: (at: number) => string
  /** false: the vectors are not returned, and take no memory; default: true. */
  readonly areReturned?: boolean
}

/**
 * A collection `vectors` of documents `v0`, `v1` … of one chunk, with vectors as callers give them, written past the server.
 * The attribute `part` is a number below 1,000: filters on it leave known shares of the documents.
 *
 * @returns the vectors, in the order of the documents
 */
export async function fillVectors(
  database: Database,
  { count, length, draw, text = (at) => `number v${at}`, areReturned = true }: VectorFill,
): Promise<Float32Array[]> {
  const drawn: Float32Array[] = []
  await database.rows(sql`
    insert into docket_documents.collection (name, created_at, updated_at, is_awaited, embeddings_model, vector_length)
    values ('vectors', localtimestamp, localtimestamp, false, 'caller', ${length})`)
  for (let from = 0; from < count; from += vectorsOfStatement) {
    const some = Array.from({ length: Math.min(vectorsOfStatement, count - from) }, draw)
    if (areReturned) drawn.push(...some)
    await writeDocuments(
      database,
      from,
      some,
      some.map((_, at) => text(from + at)),
    )
  }
  await database.rows(sql`vacuum analyze`)
  return drawn
}

async function writeDocuments(
  database: Database,
  from: number,
  vectors: readonly Float32Array[],
  texts: readonly string[],
): Promise<void> {
  const names = vectors.map((_, at) => `v${from + at}`)
  const bytes = vectors.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength))
  await database.inTransaction(async (session) => {
    await session.rows(sql`
      with next as (select docket_documents.next_position() as position),
      made as (
        insert into docket_documents.document (id, collection_id, doc_id, version, added_position, metadata, filter_values,
          title, media_type, language, size, characters, chunk_count, content_hash, vector_hash, loaded_at)
        select nextval('docket_documents.document_id'), c.id, n.doc_id, 1, next.position, '{}',
          jsonb_build_object('part', jsonb_build_array((${from} + n.place) * 7919 % 1000)),
          null, 'text/plain', null, 0, 0, 1, sha256(n.doc_id::bytea), sha256(n.vector), localtimestamp
        from next, docket_documents.collection c, unnest(${names}::text[], ${bytes}::bytea[]) with ordinality as n (doc_id, vector, place)
        where c.name = 'vectors'
        returning id, doc_id
      ), chunks as (
        insert into docket_documents.chunk (document_id, chunk_index, from_unit, to_unit, heading_path, text)
        select made.id, 0, 0, 0, '{}', t.text
        from made join unnest(${names}::text[], ${texts}::text[]) as t (doc_id, text) using (doc_id)
      )
      select docket_documents.reach_position(next.position) from next`)
    await session.rows(sql`
      with caller as (select id, position from docket_documents.embedding_model where is_caller),
      given as materialized (
        select caller.id as model_id, d.id, caller.position + n.place as position, n.vector
        from caller, unnest(${names}::text[], ${bytes}::bytea[]) with ordinality as n (doc_id, vector, place)
        join docket_documents.collection c on c.name = 'vectors'
        join docket_documents.document d on d.collection_id = c.id and d.doc_id = n.doc_id and d.removed_position is null
      ), complete as (
        insert into docket_documents.document_embedding (model_id, document_id, position)
        select model_id, id, position from given
        on conflict (model_id, document_id) do update set position = excluded.position
      ), stored as (
        insert into docket_documents.chunk_embedding (model_id, document_id, first_chunk, vectors)
        select model_id, id, 0, vector from given
      )
      update docket_documents.embedding_model m set position = (select max(position) from given) where m.is_caller`)
  })
}
