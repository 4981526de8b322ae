import { sql } from 'kysely'
import type { Session } from '../../database/database.ts'
import { selectRows, selectStatement } from '../../database/select-statement.ts'
import { utcTimestamp } from '../../database/utc-timestamp.ts'
import { chunkerVersion } from '../rechunk/cut-signature.ts'

/** Names no model: vectors are given by callers. */
export const callerModel = 'caller'

export interface Collection {
  readonly id: number
  readonly name: string
  /** null: document_reader. */
  readonly readerRole: string | null
  /** null: document_writer. */
  readonly writerRole: string | null
  /** The table whose records decide who sees which document; null: the collection is not bound. */
  readonly aclTable: string | null
  /** Columns of the table that a reader must be allowed to read on the record, too. */
  readonly aclColumns: readonly string[]
  /** null: the server's own. */
  readonly chunkUnits: number | null
  readonly overlapUnits: number | null
  /** null: the default model makes its vectors; `callerModel`: callers give them; else a model of the configuration. */
  readonly embeddingsModel: string | null
  /** Numbers of a vector that callers give; null: not known yet. */
  readonly vectorLength: number | null
  /** A load asked for it and no document is in it yet: nobody sees it. */
  readonly isPending: boolean
  /** Of its documents, as `detectLanguage` names them. */
  readonly languages: readonly string[]
  readonly createdAt: string
  readonly updatedAt: string
}

/** Collections and the position of the change log, read in one snapshot. */
export interface CollectionsNow {
  readonly position: number
  /** Names the state of the database that was read: while it is the same, no transaction that wrote has ended. */
  readonly snapshot: string
  readonly collections: readonly Collection[]
}

/** @param names null: all of them. Names without a collection are simply not in the answer */
export async function readCollections(
  session: Session,
  names: readonly string[] | null,
  which: 'there' | 'also-awaited' = 'there',
): Promise<CollectionsNow> {
  const rows = await selectRows(session, READ_COLLECTIONS, [names, which === 'also-awaited'])
  const collections = rows.flatMap(
    ({ position: _position, snapshot: _snapshot, id, ...rest }): readonly Collection[] =>
      id === null ? [] : [{ id, ...rest }],
  )
  return { position: Number(rows[0]?.position ?? 0), snapshot: rows[0]?.snapshot ?? '', collections }
}

interface CollectionRow extends Omit<Collection, 'id'> {
  readonly position: string
  readonly snapshot: string
  readonly id: number | null
}

const READ_COLLECTIONS = selectStatement<CollectionRow>({
  name: 'read-collections',
  columns: {
    position: 'log.position',
    snapshot: `concat_ws('/', log.position, pg_current_snapshot())`,
    id: 'c.id',
    name: 'c.name',
    readerRole: 'c.reader_role',
    writerRole: 'c.writer_role',
    aclTable: 'c.acl_table',
    aclColumns: 'c.acl_columns',
    chunkUnits: 'c.chunk_units',
    overlapUnits: 'c.overlap_units',
    embeddingsModel: 'c.embeddings_model',
    vectorLength: 'c.vector_length',
    isPending: 'c.is_awaited',
    languages: 'c.languages',
    createdAt: `to_char(c.created_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`,
    updatedAt: `to_char(c.updated_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`,
  },
  // The position comes also when there is no collection.
  from: `
    from docket_documents.change_log log
    left join docket_documents.collection c
      on c.removed_position is null and ($1::text[] is null or c.name = any ($1::text[]))
      and (not c.is_awaited or $2)
    order by c.name collate "C"`,
})

/**
 * Makes the collection unless it is there already; one that was awaited is there from now on. A new one has no document that
 * an earlier version of the chunker cut.
 */
export async function createCollection(session: Session, name: string, by: string, now: Date): Promise<void> {
  await session.rows(sql`
    insert into docket_documents.collection (name, cut_version, created_at, created_by, updated_at)
    values (${name}, ${chunkerVersion}, ${utcTimestamp(now)}, ${by}, ${utcTimestamp(now)})
    on conflict (name) where removed_position is null do update
      set is_awaited = false, created_at = excluded.created_at, created_by = excluded.created_by, updated_at = excluded.updated_at
      where docket_documents.collection.is_awaited`)
}

/** Has the collection awaited by a load, unless it is there: the first document that comes to be in it makes it so. */
export async function awaitCollection(session: Session, name: string, by: string, now: Date): Promise<void> {
  await session.rows(sql`
    insert into docket_documents.collection (name, is_awaited, cut_version, created_at, created_by, updated_at)
    values (${name}, true, ${chunkerVersion}, ${utcTimestamp(now)}, ${by}, ${utcTimestamp(now)})
    on conflict (name) where removed_position is null do update set updated_at = excluded.updated_at
      where docket_documents.collection.is_awaited`)
}

/** The statement that adds nothing locks nothing: loads into one collection do not wait for each other. */
export async function noteLanguage(session: Session, collection: Collection, language: string | null): Promise<void> {
  if (language === null || collection.languages.includes(language)) return
  await session.rows(sql`
    update docket_documents.collection set languages = array_append(languages, ${language}::text)
    where id = ${collection.id} and not ${language} = any (languages)`)
}

/** Whether documents of the collection are there for readers of records only: it is bound to a table, or follows one. */
export async function isGuarded(session: Session, id: number): Promise<boolean> {
  const [row] = await session.rows(sql<{ guarded: boolean }>`
    select ${guarded} as guarded from docket_documents.collection c where c.id = ${id}`)
  return row?.guarded === true
}

const guarded = sql<boolean>`
  (c.acl_table is not null or exists (select from docket_documents.follow f where f.collection_id = c.id))`

/**
 * @param which `unguarded`: only if it is neither bound nor followed, whatever was read of it before
 * @returns whether it was there until now
 */
export async function removeCollection(
  session: Session,
  id: number,
  { now, which }: { readonly now: Date; readonly which: 'any' | 'unguarded' },
): Promise<boolean> {
  const [row] = await session.rows(sql<{ position: string | null }>`
    select docket_documents.remove_collection(c.id, ${utcTimestamp(now)}) as position from docket_documents.collection c
    where c.id = ${id} and (${which === 'any'} or not ${guarded})`)
  return row?.position != null
}
