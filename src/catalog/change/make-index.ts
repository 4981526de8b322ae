import { columnTypeOf } from '../../column-types/column-types.ts'
import { LOCKS } from '../../database/advisory-locks.ts'
import type { Database, Session } from '../../database/database.ts'
import { databaseFailureOf } from '../../database/database-failure.ts'
import { onOwnConnection, type RunAlone, takeLock } from '../../database/on-own-connection.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import { referencesOfRecord } from '../indexed-references.ts'
import { wordsOfRecord } from '../searched-text.ts'
import { place } from './count-losses.ts'
import {
  type ColumnDefinition,
  columnsOfTable,
  type IndexDefinition,
  readIndexes,
  type StoragePlace,
} from './definition.ts'

/** The task name for docket_system.add_job. */
export const BUILD_INDEXES = 'build_indexes'

/**
 * A table up to this size is indexed at once, in the transaction of the change: it takes about a tenth of a second, in which nobody writes
 * to it. A job indexes larger tables, and no request waits for it.
 */
const AT_ONCE_BYTES = 32 * 1024 * 1024

/** Builds an index that a row of sys_db_index describes, or adds the job that builds it. */
export async function buildOrLeave(session: Session, id: string): Promise<void> {
  const [index] = await readIndexes(session, sql`i.sys_id = ${id}::bigint`)
  if (index === undefined) return
  if (!(await isBuiltAtOnce(session, index.storage))) {
    await session.rows(sql`select docket_system.add_job(${BUILD_INDEXES})`)
    return
  }
  if (!(await canBuild(session, index))) {
    await session.rows(
      sql`update docket.sys_db_index set state = 'failed', error = ${WITHOUT_TRIGRAMS} where sys_id = ${id}::bigint`,
    )
    return
  }
  const name = nameOf(index)
  await session.rows(sql`create index ${sql.id(name)} on ${await targetOf(session, index)}`)
  await session.rows(
    sql`update docket.sys_db_index set state = 'ready', storage_index = ${name} where sys_id = ${id}::bigint`,
  )
  await announce(session, index)
}

/** Statements name the references that an index of texts has (plan/references-beside-text.ts), so the dictionary is read again. */
async function announce(
  session: Pick<Session, 'rows'>,
  { tableId, purpose, includedColumns }: IndexDefinition,
): Promise<void> {
  if (includedColumns.length === 0 || (purpose !== 'contains' && purpose !== 'search')) return
  await session.rows(sql`with raised as (update docket_system.epoch set catalog = catalog + 1 returning catalog)
    insert into docket_system.changed_table select catalog, ${tableId}::bigint from raised`)
}

/** Whether the transaction that requests an index builds it. */
export async function isBuiltAtOnce(session: Session, { schema, table }: StoragePlace): Promise<boolean> {
  const [size] = await session.rows<{ bytes: string }>(
    sql`select pg_relation_size(${`"${schema}"."${table}"`}::regclass)::text as bytes`,
  )
  return Number(size?.bytes ?? 0) <= AT_ONCE_BYTES
}

const WITHOUT_TRIGRAMS =
  'The database has no extension pg_trgm: run CREATE EXTENSION pg_trgm in it, and start Docket again.'

/** Indexes for `contains` need an extension, which the server of the database may not have. */
async function canBuild(session: Pick<Session, 'rows'>, { purpose }: IndexDefinition): Promise<boolean> {
  return purpose !== 'contains' || (await trigramOperators(session)) !== null
}

/** The operator class of indexes for `contains`; null: the database has no pg_trgm. */
export async function trigramOperators(session: Pick<Session, 'rows'>): Promise<string | null> {
  const [row] = await session.rows<{ name: string | null }>(sql`select docket_system.trigram_operators() as name`)
  return row?.name ?? null
}

const nameOf = (index: IndexDefinition): string => `index_${index.id}`

/** `table (expression, …)`, as conditions and orders of the record service use it. */
async function targetOf(session: Session, index: IndexDefinition): Promise<Sql<unknown>> {
  const byName = new Map<string, ColumnDefinition>()
  for (let tableId: string | null = index.tableId; tableId !== null; ) {
    for (const column of await columnsOfTable(session, tableId)) {
      if (!byName.has(column.name)) byName.set(column.name, column)
    }
    const [row]: readonly { parent: string | null }[] = await session.rows<{ parent: string | null }>(
      sql`select parent_id::text as parent from docket.sys_db_table where sys_id = ${tableId}::bigint`,
    )
    tableId = row?.parent ?? null
  }
  const columns = index.columnNames.flatMap((name) => byName.get(name) ?? [])
  const included = index.includedColumns.flatMap((name) => byName.get(name) ?? [])
  if (index.purpose === 'search') {
    const words = wordsOfRecord(columns.map((column) => sql.id(column.storageColumn ?? column.name)))
    return sql`${place(index.storage)} using gin (${sql.join([...referencesBeside(included), words])})`
  }
  if (index.purpose === 'contains') {
    const operators = sql.raw((await trigramOperators(session)) ?? '')
    const texts = columns.map(
      (column) => sql`docket_system.fold(${sql.id(column.storageColumn ?? column.name)}) ${operators}`,
    )
    return sql`${place(index.storage)} using gin (${sql.join([...referencesBeside(included), ...texts])})`
  }
  const [first] = columns
  if (first !== undefined && columnTypeOf(first).storage.index === 'gin' && columns.length === 1) {
    return sql`${place(index.storage)} using gin (${keyOf(first, index.purpose)})`
  }
  const keys = await Promise.all(columns.map((column) => conditionKeyOf(session, column, index.purpose)))
  // Every order ends in the key, so that pages neither repeat nor skip.
  const last = columns.some((column) => column.name === 'sys_id') ? [] : [sql.id('sys_id')]
  return sql`${place(index.storage)} (${sql.join([...keys, ...last])})${includeOf(included)}`
}

/** First: PostgreSQL then looks for the text only in rows with the references, also if it is made of frequent parts. */
const referencesBeside = (columns: readonly ColumnDefinition[]): readonly Sql<unknown>[] =>
  columns.length === 0
    ? []
    : [sql`(${referencesOfRecord(columns.map((column) => sql.id(column.storageColumn ?? column.name)))})`]

function includeOf(columns: readonly ColumnDefinition[]): Sql<unknown> {
  if (columns.length === 0) return sql``
  return sql` include (${sql.join(columns.map((column) => sql.id(column.storageColumn ?? column.name)))})`
}

/** Choices whose values have no letters are compared as they are stored (`isCaseless` of a comparison), others without case. */
async function conditionKeyOf(
  session: Pick<Session, 'rows'>,
  column: ColumnDefinition,
  purpose: string,
): Promise<Sql<unknown>> {
  if (columnTypeOf(column).compare !== 'choice' || purpose !== 'conditions') return keyOf(column, purpose)
  const lettered = await session.rows(
    sql`select from docket.sys_choice where column_id = ${column.id}::bigint and value !~ '^[ -@[-\`{-~]*$' limit 1`,
  )
  return lettered.length > 0 ? keyOf(column, purpose) : sql.id(column.storageColumn ?? column.name)
}

/** The key of an index as conditions or orders of the record service name the column. */
export function keyOf(
  column: Pick<ColumnDefinition, 'name' | 'storageColumn' | 'storageType' | 'type'>,
  purpose: string,
): Sql<unknown> {
  const stored = sql.id(column.storageColumn ?? column.name)
  if (column.storageType !== 'text') return stored
  if (purpose !== 'order') return sql`docket_system.fold(${stored})`
  return columnTypeOf(column).compare === 'choice'
    ? sql`(${stored} collate docket_system.number_order)`
    : sql`(${stored} collate docket_system.text_order)`
}

/**
 * Builds the waiting indexes one by one, while others read and write the table.
 *
 * @returns how many were built
 */
export function buildWaitingIndexes(database: Database): Promise<number> {
  return onOwnConnection(database, async (run) => {
    await takeLock(run, LOCKS.indexBuilding)
    await dropForgotten(database, run)
    const waiting = await readIndexes(database, sql`i.state = 'waiting'`)
    for (const index of waiting) await buildAlone(database, index, run)
    return waiting.length
  })
}

/** For indexes that waited while no worker was notified: each process calls it once when it starts to work. */
export async function notifyOfWaitingIndexes(database: Database): Promise<void> {
  await database.rows(sql`update docket.sys_db_index set state = 'waiting', error = null
    where purpose = 'contains' and state = 'failed' and storage_index is null and docket_system.trigram_operators() is not null`)
  await database.rows(sql`
    select docket_system.add_job(${BUILD_INDEXES}) where exists (select from docket.sys_db_index where state = 'waiting')`)
}

async function buildAlone(database: Database, index: IndexDefinition, run: RunAlone): Promise<void> {
  if (!(await canBuild(database, index))) return markFailed(database, index, WITHOUT_TRIGRAMS)
  const name = nameOf(index)
  // An index that a process left half built cannot be used.
  const dropHalf = sql`drop index concurrently if exists ${sql.id(index.storage.schema, name)}`
  await run(dropHalf)
  try {
    await run(sql`create index concurrently ${sql.id(name)} on ${await targetOf(database, index)}`)
  } catch (error) {
    const failure = databaseFailureOf(error)
    if (failure === null) throw error
    await run(dropHalf)
    return markFailed(database, index, failure.message)
  }
  // One statement: if the process is killed after it, the next build finds the indexes that nobody describes any more.
  const [built] = await database.rows<{ isRequested: boolean; replaced: readonly string[] }>(sql`
    with built as (
      update docket.sys_db_index set state = 'ready', storage_index = ${name}, error = null
      where sys_id = ${index.id}::bigint and state = 'waiting' returning sys_id),
    replaced as (
      delete from docket.sys_db_index i using built b
      where ${isReplacedBy(index)} returning coalesce(i.storage_index, 'index_' || i.sys_id) as name)
    select exists (select from built) as "isRequested", coalesce((select array_agg(name) from replaced), '{}') as replaced`)
  // The index is no longer requested, or with another type.
  if (built?.isRequested !== true) await run(dropHalf)
  else await announce(database, index)
  for (const replaced of built?.replaced ?? [])
    await run(sql`drop index concurrently if exists ${sql.id(index.storage.schema, replaced)}`)
}

/** The same index with fewer included columns, which a migration kept during the build. */
const isReplacedBy = (index: IndexDefinition): Sql<unknown> => sql`i.table_id = ${index.tableId}::bigint
  and i.purpose = ${index.purpose} and i.sys_id <> ${index.id}::bigint and i.column_names = ${index.columnNames}::text[]
  and i.state = 'ready' and coalesce(i.included_columns, '{}') <@ ${index.includedColumns}::text[]`

/** Indexes of a build that was killed: complete or not, no row of sys_db_index describes them. Only builds make such names. */
async function dropForgotten(database: Database, run: RunAlone): Promise<void> {
  const forgotten = await database.rows<{ name: string }>(sql`
    select c.relname as name from pg_class c
    where c.relnamespace = 'docket'::regnamespace and c.relkind = 'i' and c.relname ~ '^index_[0-9]+$'
      and not exists (select from docket.sys_db_index i where c.relname in (i.storage_index, 'index_' || i.sys_id))`)
  for (const { name } of forgotten) await run(sql`drop index concurrently if exists ${sql.id('docket', name)}`)
}

async function markFailed(database: Database, index: IndexDefinition, message: string): Promise<void> {
  await database.rows(sql`update docket.sys_db_index set state = 'failed', error = ${message}
    where sys_id = ${index.id}::bigint and state = 'waiting'`)
}
