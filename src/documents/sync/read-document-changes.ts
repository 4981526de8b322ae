import type { Session } from '../../database/database.ts'
import { selectRows, selectStatement } from '../../database/select-statement.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import type { IndexedText } from '../../search-engine/segments/document-terms.ts'

/** The contents of the database's change log between two sequence numbers. */
export interface Changes {
  /** The history of the database to which the sequence numbers belong. */
  readonly historyId: string
  /** The sequence number after these changes are applied. */
  readonly position: number
  /** The log contains later changes. */
  readonly isMore: boolean
  /** Removals up to this sequence number may be missing from `removed`. */
  readonly clearedPosition: number
  /** Documents added after the sequence number; those that were removed again only if requested. */
  readonly added: readonly AddedDocument[]
  readonly removed: readonly { readonly collectionId: number; readonly documentId: number; readonly position: number }[]
  readonly dropped: readonly { readonly collectionId: number; readonly position: number }[]
  /** Collections whose index is to be rebuilt. */
  readonly reindexed: readonly number[]
}

export interface AddedDocument {
  readonly id: number
  readonly collectionId: number
  readonly position: number
  readonly chunkCount: number
}

/** Documents per step, added and removed ones: each is only a few numbers here, and a search waits for the whole step. */
const documentsOfStep = 2_000

interface ChangesRow {
  readonly historyId: string
  readonly position: string
  readonly isMore: boolean
  readonly clearedPosition: string
  readonly added: readonly (readonly [id: number, collectionId: number, position: number, chunks: number])[] | null
  readonly removed: readonly (readonly [id: number, collectionId: number, position: number])[] | null
  readonly dropped: readonly (readonly [collectionId: number, position: number])[] | null
  readonly reindexed: readonly number[] | null
}

/**
 * Identifies a history of the database (docket_system.database_history). A copy of the database, or one restored from a
 * backup, has another history: its sequence numbers mean other changes, so a saved index of the first history must not
 * be used for it.
 */
const historyIdText = (history: string): string => `
  (select concat_ws('/', log.database_id, ${history}, d.oid) from docket_documents.change_log log, pg_database d
   where d.datname = current_database())`
const newestHistory = '(select h.id from docket_system.database_history h order by h.number desc limit 1)'

const READ_CHANGES = selectStatement<ChangesRow>({
  name: 'read-changes',
  before: `
    with log as (select position, cleared_position from docket_documents.change_log),
    added as (
      select d.id, d.collection_id, d.added_position, d.chunk_count
      from docket_documents.document d
      where d.added_position > $1 and ($2 or d.removed_position is null)
      order by d.added_position fetch first ${documentsOfStep} rows with ties
    ),
    removed as (
      select d.id, d.collection_id, d.removed_position
      from docket_documents.document d
      where d.removed_position > $1 and ($2 or d.added_position <= $1)
      order by d.removed_position fetch first ${documentsOfStep} rows with ties
    ),
    reached as (
      select least(
        log.position,
        (select max(added_position) from added having count(*) >= ${documentsOfStep}),
        (select max(removed_position) from removed having count(*) >= ${documentsOfStep})
      ) as position
      from log
    )`,
  columns: {
    historyId: historyIdText(newestHistory),
    position: 'reached.position',
    isMore: 'reached.position < log.position',
    clearedPosition: 'log.cleared_position',
    added: `
      (select json_agg(json_build_array(id, collection_id, added_position, chunk_count)) from added
       where added_position <= reached.position)`,
    removed: `
      (select json_agg(json_build_array(id, collection_id, removed_position)) from removed
       where removed_position <= reached.position)`,
    dropped: `
      (select json_agg(json_build_array(c.id, c.removed_position)) from docket_documents.collection c
       where c.removed_position > $1 and c.removed_position <= reached.position)`,
    reindexed: `
      (select json_agg(c.id) from docket_documents.collection c
       where c.reindexed_position > $1 and c.reindexed_position <= reached.position and c.removed_position is null)`,
  },
  from: 'from log, reached',
})

/**
 * One statement, so that the result belongs to one state.
 *
 * @param alsoGone also documents that were added and removed since: a search that read the database in between must
 * find them. Not needed while nobody searches.
 */
export async function readChanges(session: Session, after: number, alsoGone: boolean): Promise<Changes> {
  const [row] = await selectRows(session, READ_CHANGES, [after, alsoGone])
  if (row === undefined) throw new Error('docket_documents.change_log has no row')
  const added = row.added ?? []
  return {
    historyId: row.historyId,
    position: Number(row.position),
    isMore: row.isMore,
    clearedPosition: Number(row.clearedPosition),
    added: added.map(([id, collectionId, position, chunkCount]) => ({ id, collectionId, position, chunkCount })),
    removed: (row.removed ?? []).map(([documentId, collectionId, position]) => ({
      documentId,
      collectionId,
      position,
    })),
    dropped: (row.dropped ?? []).map(([collectionId, position]) => ({ collectionId, position })),
    reindexed: row.reindexed ?? [],
  }
}

interface TextRow {
  readonly id: string
  readonly doc_id: string
  readonly title: string | null
  readonly language: string | null
  readonly chunks: IndexedText['chunks'] | null
}

/** @returns those that were not cleaned up since, in any order */
export async function readTexts(session: Session, ids: readonly number[]): Promise<readonly IndexedText[]> {
  const rows = await session.rows(sql<TextRow>`
    select d.id, d.doc_id, d.title, d.language,
      (select json_agg(json_build_object('text', c.text, 'headingPath', c.heading_path, 'repeated', c.repeated) order by c.chunk_index)
       from docket_documents.chunk c where c.document_id = d.id) as chunks
    from docket_documents.document d where d.id = any (${ids}::bigint[])`)
  return rows.map(({ id, doc_id, title, language, chunks }) => ({
    id: Number(id),
    docId: doc_id,
    title,
    language,
    chunks: chunks ?? [],
  }))
}

/** The current state of the change log. */
export async function readLogState(
  session: Session,
): Promise<{ readonly historyId: string; readonly position: number }> {
  const [row] = await session.rows(sql<{ history_id: string; position: string }>`
    select ${newestHistoryId} as history_id, log.position from docket_documents.change_log log`)
  return { historyId: row?.history_id ?? '', position: Number(row?.position ?? 0) }
}

export const newestHistoryId: Sql<string> = sql.raw(historyIdText(newestHistory))

/** Newest first. */
export async function readHistoryIds(session: Session): Promise<readonly string[]> {
  const rows = await session.rows(sql<{ id: string }>`
    select ${sql.raw(historyIdText('h.id'))} as id from docket_system.database_history h order by h.number desc`)
  return rows.map(({ id }) => id)
}
