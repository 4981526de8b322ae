import type { Session } from '../../src/database/database.ts'
import { chunkerVersion } from '../../src/documents/rechunk/split-signature.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type BenchDocument, chunksOfDocument, makeCorpus } from './corpus.ts'

const documentsOfStatement = 500

/** A collection `open` with texts, written past the server, as if it had been loaded long ago by this version: nothing splits them again meanwhile. */
export async function fillCollection(session: Session, chunks: number): Promise<void> {
  await session.rows(sql`insert into docket_documents.collection (name, cut_version, created_at, updated_at, is_awaited)
    select 'open', ${chunkerVersion}, localtimestamp, localtimestamp, false`)
  let batch: BenchDocument[] = []
  for (const document of makeCorpus(1).documents(chunks)) {
    batch.push(document)
    if (batch.length === documentsOfStatement) {
      await write(session, batch)
      batch = []
    }
  }
  if (batch.length > 0) await write(session, batch)
  await session.rows(sql`vacuum analyze`)
}

async function write(session: Session, documents: readonly BenchDocument[]): Promise<void> {
  const texts = documents.flatMap(({ text }, place) => partsOf(text).map((part, index) => ({ place, index, part })))
  await session.rows(sql`
    with next as (select docket_documents.next_position() as position),
    made as (
      insert into docket_documents.document (id, collection_id, doc_id, version, added_position, metadata, filter_values,
        title, media_type, language, size, characters, chunk_count, content_hash, loaded_at)
      select nextval('docket_documents.document_id'), c.id, n.doc_id, 1, next.position, '{}', '{}',
        n.title, 'text/plain', null, 0, 0, ${chunksOfDocument}, sha256(n.doc_id::bytea), localtimestamp
      from next, docket_documents.collection c,
        unnest(${documents.map(({ id }) => id)}::text[], ${documents.map(({ title }) => title)}::text[]) as n (doc_id, title)
      returning id, doc_id
    ), chunks as (
      insert into docket_documents.chunk (document_id, chunk_index, from_unit, to_unit, heading_path, text)
      select made.id, t.chunk_index, 0, 0, '{}', t.text
      from made join unnest(
        ${texts.map(({ place }) => documents[place]?.id ?? '')}::text[], ${texts.map(({ index }) => index)}::integer[],
        ${texts.map(({ part }) => part)}::text[]) as t (doc_id, chunk_index, text) on t.doc_id = made.doc_id
    )
    select docket_documents.reach_position(next.position) from next`)
}

function partsOf(text: string): readonly string[] {
  const length = Math.ceil(text.length / chunksOfDocument)
  return Array.from({ length: chunksOfDocument }, (_, at) => text.slice(at * length, (at + 1) * length))
}
