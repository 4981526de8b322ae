import type { Flag } from '../extraction/extracted-text.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { DocumentDeps } from './document-deps.ts'
import type { Metadata } from './filter/filter-values.ts'
import { filterCondition } from './filter/read-filter.ts'
import { readableCollections } from './rights/collection-access.ts'
import { visibleDocuments } from './rights/visible-documents.ts'
import type { DocumentProperties } from './store/document-properties.ts'

/** The members of a document in a list with `details=1`. */
export interface DocumentDetails extends DocumentProperties {
  /** SHA-256 of the file or text as loaded, in hexadecimal. */
  readonly sha256: string
  readonly chunks: number
  readonly version: number
  /** ISO 8601. */
  readonly loadedAt: string
}

/** Selects documents of a collection. */
export interface ListRequest {
  readonly collectionName: string
  /** An encoded query over metadata; '' selects every document. */
  readonly filter: string
  /** Documents of this page. */
  readonly limit: number
  /** The last doc_id of the previous page; null: the first page. */
  readonly after: string | null
}

export interface ListPage<T> {
  /** In the byte order of their doc_ids. */
  readonly documents: readonly T[]
  /** `after` of the next page; null: this is the last page. */
  readonly next: string | null
}

/** doc_ids of the visible documents of a collection. */
export async function listDocumentNames(
  deps: DocumentDeps,
  principal: Principal,
  requested: ListRequest,
): Promise<Result<ListPage<string>, Problem>> {
  const seen = await readVisible(deps, principal, requested)
  if (!seen.ok) return seen
  const rows = await deps.database.rows(sql<{ doc_id: string }>`
    select d.doc_id from docket_documents.document d where ${seen.value} ${pageOf(requested)}`)
  return succeed(asPage(rows, requested, ({ doc_id }) => doc_id))
}

interface DetailsRow {
  readonly doc_id: string
  readonly metadata: Metadata
  readonly sha256: string
  readonly title: string | null
  readonly file_name: string | null
  readonly media_type: string
  readonly language: string | null
  readonly size: string
  readonly characters: number
  readonly pages: number | null
  readonly chunk_count: number
  readonly version: number
  readonly flags: readonly Flag[]
  readonly loaded_at: string
}

export async function listDocumentDetails(
  deps: DocumentDeps,
  principal: Principal,
  requested: ListRequest,
): Promise<Result<ListPage<DocumentDetails>, Problem>> {
  const seen = await readVisible(deps, principal, requested)
  if (!seen.ok) return seen
  const rows = await deps.database.rows(sql<DetailsRow>`
    select d.doc_id, d.metadata, d.title, d.file_name, d.media_type, d.language, d.size, d.characters, d.pages,
           d.chunk_count, d.version, d.flags, encode(coalesce(d.blob_hash, d.content_hash), 'hex') as sha256,
           to_char(d.loaded_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as loaded_at
    from docket_documents.document d where ${seen.value} ${pageOf(requested)}`)
  return succeed(
    asPage(rows, requested, (row) => ({
      docId: row.doc_id,
      metadata: row.metadata,
      title: row.title,
      fileName: row.file_name,
      mediaType: row.media_type,
      language: row.language,
      size: Number(row.size),
      sha256: row.sha256,
      characters: row.characters,
      pages: row.pages,
      chunks: row.chunk_count,
      version: row.version,
      flags: row.flags,
      loadedAt: row.loaded_at,
    })),
  )
}

/** Reads one row more than requested, to know whether there is a next page. */
function pageOf({ limit, after }: ListRequest) {
  return sql`and d.doc_id > ${after ?? ''} order by d.doc_id limit ${limit + 1}`
}

function asPage<Row extends { readonly doc_id: string }, T>(
  rows: readonly Row[],
  { limit }: ListRequest,
  show: (row: Row) => T,
): ListPage<T> {
  const page = rows.slice(0, limit)
  return { documents: page.map(show), next: rows.length > page.length ? (page.at(-1)?.doc_id ?? null) : null }
}

async function readVisible(deps: DocumentDeps, principal: Principal, { collectionName, filter: text }: ListRequest) {
  const filter = filterCondition(text, sql`d.filter_values`, { principal, nowMs: deps.clock.nowMs() })
  if (!filter.ok) return filter
  const readable = await readableCollections(deps.database, principal, [collectionName])
  if (!readable.ok) return readable
  const { collections } = readable.value
  const visible = await visibleDocuments(deps.readableRecords, principal, collections)
  const ids = collections.map(({ id }) => id)
  return succeed(
    sql<boolean>`d.collection_id = any (${ids}::integer[]) and d.removed_position is null
      and ${visible ?? sql`true`} and ${filter.value ?? sql`true`}`,
  )
}
