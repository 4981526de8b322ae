import { LOCKS } from '../database/advisory-locks.ts'
import type { CopyConnection } from '../database/copy-connection.ts'
import { restoreSchema } from '../database/restore-marker.ts'
import { sql } from '../kernel/sql.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import { ownSchemas } from './schema/schema-statement.ts'

/**
 * What a restore replaces: Docket's schemas, its jobs, which are created again for the work that rows describe, and its tables for pgvector,
 * which a server fills again.
 */
const replacedSchemas = [...ownSchemas, 'graphile_worker', 'docket_vectors']

/**
 * Makes this process the only one that uses the database: servers that start wait for the lock, then read the marker.
 *
 * @throws StartFailure if another restore, a server or a command of Docket runs
 */
export async function claimTarget(connection: CopyConnection): Promise<void> {
  const [claimed] = await connection.rows(sql<{ is_ours: boolean }>`
    select pg_try_advisory_lock(${sql.lit(LOCKS.restore)}) as is_ours`)
  if (claimed?.is_ours !== true)
    throw new StartFailure('Another restore into this database is running: wait until it has ended.')
  await connection.rows(sql`select pg_advisory_lock(${sql.lit(LOCKS.migrations)})`)
  const others = await connection.rows(sql<{ application_name: string }>`
    select distinct application_name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like 'docket%'
      and application_name not like 'docket owner%' order by 1`)
  if (others.length > 0)
    throw new StartFailure(
      `Docket is running on this database (${others.map((other) => other.application_name).join(', ')}): stop every server of it, then restore.`,
    )
}

export async function isEmptyTarget(connection: CopyConnection): Promise<boolean> {
  const [row] = await connection.rows(sql<{ is_empty: boolean }>`
    select not exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any (${replacedSchemas}::text[])) as is_empty`)
  return row?.is_empty === true
}

/** Commits the marker that keeps servers from starting until this restore, or a repeated one, has ended. */
export async function markRestore(connection: CopyConnection, source: string): Promise<void> {
  await connection.execute(`
    begin;
    create schema if not exists ${restoreSchema};
    create table if not exists ${restoreSchema}.state (
      only_row boolean primary key default true check (only_row),
      source text not null,
      started_at timestamp not null default (clock_timestamp() at time zone 'UTC'));
    delete from ${restoreSchema}.state`)
  await connection.rows(sql`insert into docket_restore.state (source) values (${source})`)
  await connection.execute('commit')
}

export async function clearMarker(connection: CopyConnection): Promise<void> {
  await connection.execute(`drop schema if exists ${restoreSchema} cascade`)
}

/** Drops Docket's objects, in the transaction of the restore, so that a failure rolls this back. */
export async function clearTarget(connection: CopyConnection): Promise<void> {
  const found = await connection.rows(sql<{ name: string }>`
    select quote_ident(nspname) as name from pg_namespace where nspname = any (${replacedSchemas}::text[])`)
  if (found.length > 0) await connection.execute(`drop schema ${found.map(({ name }) => name).join(', ')} cascade`)
}

/** `docket restore --cancel`. @returns whether there was an interrupted restore */
export async function cancelRestore(connection: CopyConnection): Promise<boolean> {
  await claimTarget(connection)
  const [row] = await connection.rows(sql<{ there: boolean }>`
    select to_regclass(${`${restoreSchema}.state`}) is not null as there`)
  await clearMarker(connection)
  return row?.there === true
}
