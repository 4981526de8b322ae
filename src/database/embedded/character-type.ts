import pg from 'pg'
import { clusterDatabase } from './cluster.ts'

/**
 * LC_CTYPE of clusters, the preferred one first; macOS has only the others. With the locale C, pg_trgm treats no character beyond ASCII as
 * a letter, and the text search parser treats all of them as letters. Nothing else uses LC_CTYPE here: the collation of the database is
 * PostgreSQL's built-in one, so the order of texts does not depend on it (docs/decisions/0023).
 */
export const utf8CharacterTypes: readonly string[] = ['C.UTF-8', 'en_US.UTF-8', 'UTF-8']

export type CharacterTypeMove =
  | { readonly kind: 'not-needed' }
  | { readonly kind: 'moved'; readonly characterType: string }
  | { readonly kind: 'not-possible'; readonly reason: string }

/**
 * Gives the database of an older cluster, which was created with the locale C, a character type for all alphabets. No row is rewritten:
 * indexes that depend on it are dropped first and marked for building, so that the next start repeats an interrupted change.
 *
 * @param superuser in the database `postgres`
 * @param database address of Docket's database, as the superuser
 */
export async function moveCharacterType(superuser: pg.Client, database: string): Promise<CharacterTypeMove> {
  if (!(await hasCharacterTypeC(superuser))) return { kind: 'not-needed' }
  const characterType = await findCharacterType(superuser)
  if (characterType === undefined)
    return { kind: 'not-possible', reason: `this machine has none of the locales ${utf8CharacterTypes.join(', ')}` }
  const foreign = await forgetDependentIndexes(database)
  if (foreign !== undefined)
    return { kind: 'not-possible', reason: `the index ${foreign}, which Docket did not create, depends on it` }
  await superuser.query('update pg_catalog.pg_database set datctype = $1 where datname = $2', [
    characterType,
    clusterDatabase,
  ])
  return { kind: 'moved', characterType }
}

async function hasCharacterTypeC(superuser: pg.Client): Promise<boolean> {
  const { rows } = await superuser.query(
    `select from pg_catalog.pg_database where datname = $1 and datctype in ('C', 'POSIX') and datlocprovider = 'b'`,
    [clusterDatabase],
  )
  return rows.length > 0
}

/** The server has to support the locale: a database with an unsupported locale accepts no connections. */
async function findCharacterType(superuser: pg.Client): Promise<string | undefined> {
  for (const name of utf8CharacterTypes) {
    await superuser.query('begin')
    const isKnown = await superuser
      .query(`create collation pg_temp.probe (provider = libc, lc_collate = 'C', lc_ctype = '${name}')`)
      .then(
        () => true,
        () => false,
      )
    await superuser.query('rollback')
    if (isKnown) return name
  }
  return undefined
}

/** @returns the name of an index that is not Docket's and depends on the character type; then nothing is dropped */
async function forgetDependentIndexes(database: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: database, application_name: 'docket character type' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ has_dictionary: boolean }>(
      `select to_regclass('docket.sys_db_index') is not null as has_dictionary`,
    )
    const own = rows[0]?.has_dictionary === true ? 'select storage_index from docket.sys_db_index' : `select ''`
    const foreign = await client.query<{ name: string }>(`
      select c.oid::regclass::text as name from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indexrelid
      where i.indexrelid >= 16384 and pg_catalog.pg_get_indexdef(c.oid) ~ 'to_tsvector|_trgm_ops' and c.relname not in (
        select storage_index from (${own}) as own (storage_index) where storage_index is not null) limit 1`)
    if (foreign.rows[0] !== undefined) return foreign.rows[0].name
    if (rows[0]?.has_dictionary === true) await client.query(dropOwnIndexes)
    return undefined
  } finally {
    await client.end()
  }
}

/** One statement, so one transaction. The job that builds waiting indexes finds them when Docket listens. */
const dropOwnIndexes = `
do $$
declare
  built record;
begin
  for built in
    select t.storage_schema, i.storage_index from docket.sys_db_index i join docket.sys_db_table t on t.sys_id = i.table_id
    where i.purpose in ('search', 'contains') and i.storage_index is not null
  loop
    execute format('drop index if exists %I.%I', built.storage_schema, built.storage_index);
  end loop;
  update docket.sys_db_index set state = 'waiting', storage_index = null where purpose in ('search', 'contains');
end $$`
