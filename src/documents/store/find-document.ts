import type { Session } from '../../database/database.ts'
import { selectRows, selectStatement } from '../../database/select-statement.ts'
import { sql } from '../../kernel/sql.ts'
import type { DocumentProperties } from './document-properties.ts'

/** The current version of a document. */
export interface StoredDocument extends DocumentProperties {
  readonly id: number
  readonly version: number
  /** Sequence number of the change log. */
  readonly addedSequence: number
  readonly chunkCount: number
  readonly contentHash: Buffer
  readonly blobHash: Buffer | null
  readonly vectorHash: Buffer | null
}

interface DocumentRow
  extends Omit<StoredDocument, 'id' | 'addedSequence' | 'size' | 'contentHash' | 'blobHash' | 'vectorHash'> {
  readonly nextId: string
  readonly newestLoad: string | null
  readonly id: string | null
  readonly addedSequence: string
  readonly size: string
  readonly contentHash: string
  readonly blobHash: string | null
  readonly vectorHash: string | null
}

const FIND_DOCUMENT = selectStatement<DocumentRow>({
  name: 'find-document',
  columns: {
    nextId: `nextval('docket_documents.document_id')`,
    newestLoad: `(select max(l.id) from docket_documents.load l
      where l.collection_id = $1 and l.doc_id = $2 and l.state in ('queued', 'extracting', 'indexing'))`,
    id: 'd.id',
    docId: 'd.doc_id',
    version: 'd.version',
    addedSequence: 'd.added_position',
    metadata: 'd.metadata',
    title: 'd.title',
    fileName: 'd.file_name',
    mediaType: 'd.media_type',
    language: 'd.language',
    size: 'd.size',
    characters: 'd.characters',
    pages: 'd.pages',
    chunkCount: 'd.chunk_count',
    flags: 'd.flags',
    contentHash: `encode(d.content_hash, 'hex')`,
    blobHash: `encode(d.blob_hash, 'hex')`,
    vectorHash: `encode(d.vector_hash, 'hex')`,
  },
  from: `
    from (values (true)) as one
    left join docket_documents.document d on d.collection_id = $1 and d.doc_id = $2 and d.removed_position is null`,
})

/** What a load needs to know, in one statement. */
export interface FoundDocument {
  readonly current: StoredDocument | undefined
  /** Reserved for the version that the load creates: the index is built from it before its row is written. */
  readonly nextId: number
  /** Id of the newest load that is not done; null: none. */
  readonly newestLoad: number | null
}

export async function findDocument(session: Session, collectionId: number, docId: string): Promise<FoundDocument> {
  const [row] = await selectRows(session, FIND_DOCUMENT, [collectionId, docId])
  if (row === undefined) throw new Error('the database gave no id')
  const { nextId, newestLoad, id, ...rest } = row
  return {
    nextId: Number(nextId),
    newestLoad: newestLoad === null ? null : Number(newestLoad),
    current: id === null ? undefined : storedDocument({ ...rest, id }),
  }
}

function storedDocument(row: Omit<DocumentRow, 'nextId' | 'newestLoad'>): StoredDocument {
  const { id, addedSequence, size, contentHash, blobHash, vectorHash, ...rest } = row
  return {
    ...rest,
    id: Number(id),
    addedSequence: Number(addedSequence),
    size: Number(size),
    contentHash: Buffer.from(contentHash, 'hex'),
    blobHash: blobHash === null ? null : Buffer.from(blobHash, 'hex'),
    vectorHash: vectorHash === null ? null : Buffer.from(vectorHash, 'hex'),
  }
}

/** Ids are reserved before the rows are written, because the index is built from them meanwhile. */
export async function nextDocumentIds(session: Session, count: number): Promise<readonly number[]> {
  const rows = await session.rows(sql<{ id: string }>`
    select nextval('docket_documents.document_id') as id from generate_series(1, ${count}::integer)`)
  return rows.map(({ id }) => Number(id))
}

export async function nextDocumentId(session: Session): Promise<number> {
  const [id] = await nextDocumentIds(session, 1)
  if (id === undefined) throw new Error('the database gave no id')
  return id
}
