import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Session } from '../database/database.ts'
import { loadText } from '../documents/load-document.ts'
import { readMetadata } from '../documents/upload/read-metadata.ts'
import type { LoadedPrincipal } from '../identity/load-principal.ts'
import { sql } from '../kernel/sql.ts'
import type { FollowDefinition, FollowSettings } from './follow-definition.ts'
import type { FollowSyncDeps } from './follow-settings.ts'
import type { SelectedRecord } from './select-records.ts'
import { writeMetadata, writeText } from './write-text.ts'

/** A row of docket_documents.follow. */
export interface Follow extends FollowSettings {
  readonly collection_id: number
  readonly name: string
  readonly signature: string
  readonly followed_by: string
  readonly position: string
  readonly rebuild: 'records' | 'documents' | null
  readonly rebuild_cursor: string | null
  /** UTC; null: never. */
  readonly compared_at: string | null
  readonly error: string | null
  /** The log no longer has all changes after `position`. */
  readonly misses_changes: boolean
}

/** A turn of one collection, which no other process takes at the same time. */
export interface SyncTurn {
  readonly deps: FollowSyncDeps
  /** The transaction that holds the collection and records its progress. */
  readonly session: Session
  readonly follow: Follow
  readonly definition: FollowDefinition
  /** The user who set up following: records are read with their rights. */
  readonly runAs: LoadedPrincipal
}

/** The collection was deleted during the turn. A new one of the same name is not bound: it must not get texts of records. */
export class CollectionDeleted extends Error {}

/** @returns how many documents were new or changed */
export async function loadRecords(turn: SyncTurn, records: readonly SelectedRecord[]): Promise<number> {
  const { deps, session, follow, runAs, definition } = turn
  const displayed = new Set(definition.displayed)
  const written = records.map((record) => ({
    id: String(record.sys_id),
    metadata: writeMetadata(
      follow.table,
      follow.metadata.filter((name) => displayed.has(name)),
      record,
    ),
    text: writeText(follow.template, record.displayed),
  }))
  const known = await standingDocuments(
    session,
    follow.collection_id,
    written.map(({ id }) => id),
  )
  let loaded = 0
  for (const { id, metadata, text } of written) {
    if (isUnchanged(known.get(id), metadata, text)) continue
    const sent = { collectionName: follow.name, metadata, text, mayBeEmpty: true } as const
    const done = await loadText(deps.documents, runAs.principal, sent, { collectionId: follow.collection_id })
    if (done.ok) loaded += done.value.result === 'unchanged' ? 0 : 1
    else if (done.error.kind === 'thing-not-found') throw new CollectionDeleted()
    // A temporary error makes the whole turn run again; a permanent one must not delay the other records.
    else if (done.error.kind === 'unavailable') throw new Error(`record ${id}: ${done.error.detail}`)
    else await recordError(session, follow.collection_id, `record ${id}: ${JSON.stringify(done.error)}`)
  }
  return loaded
}

export interface StoredText {
  /** SHA-256 of the text, in hexadecimal digits. */
  readonly hash: string
  readonly metadata: unknown
}

/** Compares with what a load would store: metadata without nested objects. */
export function isUnchanged(stored: StoredText | undefined, metadata: object, text: string): boolean {
  if (stored?.hash !== createHash('sha256').update(text).digest('hex')) return false
  const flat = readMetadata(metadata)
  return flat.ok && isDeepStrictEqual(stored.metadata, flat.value)
}

async function standingDocuments(
  session: Session,
  collectionId: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredText>> {
  const rows = await session.rows<StoredText & { id: string }>(sql`
    select doc_id as id, encode(content_hash, 'hex') as hash, metadata from docket_documents.document
    where collection_id = ${collectionId} and doc_id = any(${[...ids]}::text[]) and removed_position is null and file_name is null`)
  return new Map(rows.map(({ id, ...rest }) => [id, rest]))
}

/**
 * Ignores the rights on documents: if the record is deleted already, nobody can see its document.
 *
 * @returns how many documents were removed
 */
export async function removeDocuments(
  { documents }: FollowSyncDeps,
  collectionId: number,
  docIds: readonly string[],
): Promise<number> {
  if (docIds.length === 0) return 0
  const { database, index } = documents
  const removed = await database.rows(sql`
    select docket_documents.remove_document(d.collection_id, d.doc_id, ${nowOf(documents)}::timestamp) as position
    from docket_documents.document d
    where d.collection_id = ${collectionId} and d.doc_id = any(${[...docIds]}::text[]) and d.removed_position is null`)
  if (removed.length > 0) await index.refresh()
  return removed.length
}

const nowOf = ({ clock }: FollowSyncDeps['documents']): string => new Date(clock.nowMs()).toISOString().slice(0, 23)

export async function recordError(session: Session, collectionId: number, error: string): Promise<void> {
  await session.rows(
    sql`update docket_documents.follow set error = ${error.slice(0, 2_000)} where collection_id = ${collectionId}`,
  )
}
