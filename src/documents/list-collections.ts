import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { DocumentDeps } from './document-deps.ts'
import { sizesOf } from './load-document.ts'
import { splitSignature } from './rechunk/split-signature.ts'
import { readableCollections } from './rights/collection-access.ts'
import { isBound, visibleDocuments } from './rights/visible-documents.ts'
import type { Collection } from './store/collections.ts'

/** A collection, and what the caller may see of it. */
export interface CollectionDetails extends Collection {
  readonly documents: number
  readonly chunks: number
  /** Bytes of the loaded files and texts. */
  readonly size: number
  /** Documents that are still split by earlier sizes. */
  readonly rechunkDue: number
  /** Documents that could not be split again: their chunks are unchanged. */
  readonly rechunkFailed: number
}

/** Names of the collections that the caller may read, in byte order. */
export async function listCollectionNames(
  deps: DocumentDeps,
  principal: Principal,
): Promise<Result<readonly string[], Problem>> {
  const readable = await readableCollections(deps.database, principal, null)
  return readable.ok ? succeed(readable.value.collections.map(({ name }) => name)) : readable
}

/** @param names null: all collections that the caller may read */
export async function listCollectionDetails(
  deps: DocumentDeps,
  principal: Principal,
  names: readonly string[] | null,
): Promise<Result<readonly CollectionDetails[], Problem>> {
  const readable = await readableCollections(deps.database, principal, names)
  if (!readable.ok) return readable
  const { collections } = readable.value
  const visible = await visibleDocuments(deps.readableRecords, principal, collections)
  const rows = await deps.database.rows(sql<SumsRow>`
    select d.collection_id as id, count(*) as documents, sum(d.chunk_count) as chunks, sum(d.size) as size,
           count(*) filter (where ${differs} and r.trouble is null) as rechunk_due,
           count(*) filter (where ${differs} and r.trouble is not null) as rechunk_failed,
           array_agg(distinct d.language collate "C") filter (where d.language is not null) as languages
    from docket_documents.document d
    join unnest(${collections.map(({ id }) => id)}::integer[], ${collections.map((each) => splitSignature(sizesOf(each)))}::text[])
      as s (collection_id, signature) on s.collection_id = d.collection_id
    join docket_documents.collection c on c.id = d.collection_id
    left join docket_documents.rechunk r on r.document_id = d.id
    where d.collection_id = any (${collections.map(({ id }) => id)}::integer[]) and d.removed_position is null
      and ${visible ?? sql`true`}
    group by d.collection_id`)
  const sums = new Map(rows.map((row) => [row.id, row]))
  return succeed(
    collections.map((collection) => {
      const sum = sums.get(collection.id)
      const { documents = 0, chunks = 0, size = 0, languages = null } = sum ?? {}
      return {
        ...collection,
        // For a bound collection only languages of visible documents; for others the languages in order of first use.
        languages: isBound(collection) ? (languages ?? []) : collection.languages,
        documents: Number(documents),
        chunks: Number(chunks),
        size: Number(size),
        rechunkDue: Number(sum?.rechunk_due ?? 0),
        rechunkFailed: Number(sum?.rechunk_failed ?? 0),
      }
    }),
  )
}

/** Documents that an earlier version split count only if their collection is due. */
const differs = sql<boolean>`
  (d.vector_hash is null and d.cut_as is distinct from s.signature and (d.cut_as is not null or c.rechunk_due))`

interface SumsRow {
  readonly id: number
  readonly documents: string
  readonly chunks: string
  readonly size: string
  readonly rechunk_due: string
  readonly rechunk_failed: string
  /** Sorted; null: no document has a language. */
  readonly languages: readonly string[] | null
}
