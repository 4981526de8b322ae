import type { Database, Session } from '../../database/database.ts'
import { databaseFailureOf } from '../../database/database-failure.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import { createVectorTables } from '../store/create-vector-tables.ts'

/** SQL of pgvector, qualified: the extension may be in any schema. */
export interface PgvectorSql {
  /** A vector of numbers of 16 bits. @param numbers absent: of any length */
  halfvec(numbers?: number): Sql<unknown>
  /** The negative product of two vectors. */
  readonly product: Sql<unknown>
  /** Orders the index by this product. */
  readonly productOrder: Sql<unknown>
  /** The length of a vector. */
  numbersOf(vector: Sql<unknown>): Sql<number>
}

/** The first version with vectors of numbers of 16 bits. */
const minVersion = [0, 7]

/**
 * Creates the extension, if Docket's user may, and Docket's tables for it.
 *
 * @throws StartFailure if the extension is missing
 */
export async function preparePgvector(database: Database): Promise<PgvectorSql> {
  const found = (await readExtension(database)) ?? (await createExtension(database))
  if (isOlder(found.version)) throw olderVersion(found.version)
  const types = pgvectorSql(found.schema)
  await createVectorTables(database, (session) => createTables(session, types))
  return types
}

interface Extension {
  readonly version: string
  readonly schema: string
}

async function readExtension(session: Session): Promise<Extension | undefined> {
  const [row] = await session.rows(sql<Extension>`
    select e.extversion as version, n.nspname as schema from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'vector'`)
  return row
}

async function createExtension(database: Database): Promise<Extension> {
  try {
    await database.rows(sql`create extension if not exists vector with schema public`)
  } catch (error) {
    // Otherwise the database cannot be reached.
    const failure = databaseFailureOf(error)
    if (failure === null) throw error
    throw new StartFailure(
      `DOCKET_VECTORS is pgvector, and the database does not have this extension (${failure.message}): install pgvector ${minVersion.join('.')} or newer on the server of the database, and let an administrator of the database run "create extension vector". Or leave DOCKET_VECTORS at built-in.`,
      { exitCode: 2, cause: error },
    )
  }
  const created = await readExtension(database)
  if (created === undefined) throw new Error('the extension vector was created and is not there')
  return created
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [minMajor = 0, minMinor = 0] = minVersion
  return major < minMajor || (major === minMajor && minor < minMinor)
}

function olderVersion(version: string): StartFailure {
  return new StartFailure(
    `DOCKET_VECTORS is pgvector, and the database has its version ${version}: install ${minVersion.join('.')} or newer, and let an administrator of the database run "alter extension vector update". Or leave DOCKET_VECTORS at built-in.`,
    { exitCode: 2 },
  )
}

function pgvectorSql(schema: string): PgvectorSql {
  const inSchema = (name: string) => sql.id(schema, name)
  return {
    halfvec: (numbers) =>
      numbers === undefined ? inSchema('halfvec') : sql`${inSchema('halfvec')}(${sql.lit(numbers)})`,
    product: sql`operator(${sql.id(schema)}.<#>)`,
    productOrder: inSchema('halfvec_ip_ops'),
    numbersOf: (vector) => sql<number>`${inSchema('vector_dims')}(${vector})`,
  }
}

/**
 * `embedding` has length 1; null: it is too long for pgvector. Rows up to a page stay in one piece: a search reads them all. Rows go
 * with those of the document's vectors, in any process, so nothing has to follow removals.
 */
async function createTables(session: Session, types: PgvectorSql): Promise<void> {
  await session.rows(sql`
    create table if not exists docket_vectors.model (
      model_id integer primary key references docket_documents.embedding_model on delete cascade,
      position bigint not null default 0)`)
  await session.rows(sql`
    create table if not exists docket_vectors.chunk (
      model_id integer not null,
      document_id bigint not null,
      chunk_index integer not null,
      collection_id integer not null,
      embedding ${types.halfvec()},
      primary key (model_id, document_id, chunk_index),
      foreign key (model_id, document_id) references docket_documents.document_embedding on delete cascade)
    with (toast_tuple_target = 8160)`)
}
