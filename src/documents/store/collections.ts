import type { Session } from '../../database/database.ts'
import { selectRows, selectStatement } from '../../database/select-statement.ts'
import { utcTimestamp } from '../../database/utc-timestamp.ts'
import { sql } from '../../kernel/sql.ts'
import { chunkerVersion } from '../rechunk/split-signature.ts'

/** Not a model name: callers give the vectors. */
export const callerModel = 'caller'

export interface Collection {
  readonly id: number
  readonly name: string
  /** null: document_reader. */
  readonly readerRole: string | null
  /** null: document_writer. */
  readonly writerRole: string | null
  /** The table whose records determine who sees which document; null: the collection is not bound. */
  readonly aclTable: string | null
  /** Columns of the table that a reader must also be allowed to read on the record. */
  readonly aclColumns: readonly string[]
  /** null: the default of the server. */
  readonly chunkUnits: number | null
  readonly overlapUnits: number | null
  /** null: the default model makes its vectors; `callerModel`: callers give them; otherwise a configured model. */
  readonly embeddingsModel: string | null
  /** Dimensions of the vectors that callers give; null: not known yet. */
  readonly vectorLength: number | null
  /** A load requested it and it has no document yet: it is not visible. */
  readonly isPending: boolean
  /** Languages of its documents, as `detectLanguage` names them. */
  readonly languages: readonly string[]
  readonly createdAt: string
  readonly updatedAt: string
}

/** Collections and the sequence number of the change log, read in one snapshot. */
export interface CollectionsNow {
  readonly position: number
  /** Identifies the state that was read: while it is equal, no writing transaction has ended. */
  readonly snapshot: string
  readonly collections: readonly Collection[]
}

/** @param names null: all. Names without a collection are left out of the result */
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
  // The sequence number is returned even if there is no collection.
  from: `
    from docket_documents.change_log log
    left join docket_documents.collection c
      on c.removed_position is null and ($1::text[] is null or c.name = any ($1::text[]))
      and (not c.is_awaited or $2)
    order by c.name collate "C"`,
})

/**
 * Creates the collection if it does not exist; a pending one becomes visible. A new one has no document that an earlier
 * version of the chunker split.
 */
export async function createCollection(session: Session, name: string, by: string, now: Date): Promise<void> {
  await session.rows(sql`
    insert into docket_documents.collection (name, cut_version, created_at, created_by, updated_at)
    values (${name}, ${chunkerVersion}, ${utcTimestamp(now)}, ${by}, ${utcTimestamp(now)})
    on conflict (name) where removed_position is null do update
      set is_awaited = false, created_at = excluded.created_at, created_by = excluded.created_by, updated_at = excluded.updated_at
      where docket_documents.collection.is_awaited`)
}

/** Inserts a pending collection for a load if it does not exist. Its first document makes it visible. */
export async function awaitCollection(session: Session, name: string, by: string, now: Date): Promise<void> {
  await session.rows(sql`
    insert into docket_documents.collection (name, is_awaited, cut_version, created_at, created_by, updated_at)
    values (${name}, true, ${chunkerVersion}, ${utcTimestamp(now)}, ${by}, ${utcTimestamp(now)})
    on conflict (name) where removed_position is null do update set updated_at = excluded.updated_at
      where docket_documents.collection.is_awaited`)
}

/** A statement that adds nothing locks nothing: loads into one collection do not wait for each other. */
export async function recordLanguage(session: Session, collection: Collection, language: string | null): Promise<void> {
  if (language === null || collection.languages.includes(language)) return
  await session.rows(sql`
    update docket_documents.collection set languages = array_append(languages, ${language}::text)
    where id = ${collection.id} and not ${language} = any (languages)`)
}

/** Whether only readers of records may see documents of the collection: it is bound to a table, or follows one. */
export async function isGuarded(session: Session, id: number): Promise<boolean> {
  const [row] = await session.rows(sql<{ guarded: boolean }>`
    select ${guarded} as guarded from docket_documents.collection c where c.id = ${id}`)
  return row?.guarded === true
}

const guarded = sql<boolean>`
  (c.acl_table is not null or exists (select from docket_documents.follow f where f.collection_id = c.id))`

/**
 * Run it in a transaction.
 *
 * @param which `unguarded`: only if it is neither bound nor follows a table, whatever was read before
 * @returns whether it existed until now
 */
export async function removeCollection(
  session: Session,
  id: number,
  { now, which }: { readonly now: Date; readonly which: 'any' | 'unguarded' },
): Promise<boolean> {
  // Locks the log of changes, as binding a collection does: the next statement sees every binding before it.
  await session.rows(sql`select docket_documents.next_position()`)
  const [row] = await session.rows(sql<{ position: string | null }>`
    select docket_documents.remove_collection(c.id, ${utcTimestamp(now)}) as position from docket_documents.collection c
    where c.id = ${id} and (${which === 'any'} or not ${guarded})`)
  return row?.position != null
}
