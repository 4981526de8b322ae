import type { CopyConnection } from '../database/copy-connection.ts'
import { sql } from '../kernel/sql.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import { checkOfSecretKey, type Manifest } from './manifest.ts'
import { describeSchema } from './schema/describe-schema.ts'
import { ownSchemas } from './schema/schema-statement.ts'

interface Described {
  readonly docketVersion: string
  readonly secretKey: string | undefined
  readonly now: Date
}

/** @throws StartFailure if the database is not Docket's, or contains objects without which its tables cannot be created again */
export async function describeBackup(
  connection: CopyConnection,
  { docketVersion, secretKey, now }: Described,
): Promise<Manifest> {
  const { beforeRows, afterRows, tables, uncovered } = await describeSchema(connection)
  // Of the uncovered objects, tables need only types.
  const needed = uncovered.filter((name) => name.startsWith('type '))
  if (needed.length > 0)
    throw new StartFailure(
      `The schemas of Docket hold ${needed.join(', ')}, which a backup cannot hold: move it to another schema (alter … set schema), or drop it.`,
    )
  return {
    docketVersion,
    takenAt: now.toISOString(),
    postgresVersion: await readPostgresVersion(connection),
    migrations: await readMigrations(connection),
    beforeRows: [...beforeRows],
    afterRows: [...afterRows],
    tables: [...tables],
    sequences: await readSequences(connection),
    adopted: await readAdopted(connection),
    uncovered: [...uncovered],
    secretKeyCheck: checkOfSecretKey(secretKey),
  }
}

export async function readPostgresVersion(connection: Pick<CopyConnection, 'rows'>): Promise<number> {
  const [row] = await connection.rows(sql<{ version: string }>`
    select current_setting('server_version_num') as version`)
  return Number(row?.version)
}

async function readMigrations(connection: CopyConnection): Promise<Manifest['migrations']> {
  const [found] = await connection.rows(sql<{ there: boolean }>`
    select to_regclass('docket_system.migration') is not null as there`)
  if (found?.there !== true) throw new StartFailure('There is nothing to back up: this database holds no Docket.')
  return [
    ...(await connection.rows(sql<Manifest['migrations'][number]>`
      select name, checksum from docket_system.migration order by name`)),
  ]
}

/** Statements with this many parts are planned quickly. */
const sequencesAtOnce = 100

/** Read after the snapshot began: the values are then at or beyond every value in its rows. */
async function readSequences(connection: CopyConnection): Promise<Manifest['sequences']> {
  const named = await connection.rows(sql<{ name: string }>`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any (${ownSchemas}::text[]) and c.relkind = 'S' order by 1`)
  const read: Manifest['sequences'] = []
  for (let from = 0; from < named.length; from += sequencesAtOnce) {
    const parts = named
      .slice(from, from + sequencesAtOnce)
      .map(({ name }) => sql`select ${name}::text as name, last_value::text, is_called from ${sql.raw(name)}`)
    const rows = await connection.rows<{ name: string; last_value: string; is_called: boolean }>(
      sql`${sql.join(parts, sql` union all `)}`,
    )
    read.push(...rows.map((row) => ({ name: row.name, lastValue: row.last_value, isCalled: row.is_called })))
  }
  return read
}

async function readAdopted(connection: CopyConnection): Promise<string[]> {
  const rows = await connection.rows(sql<{ name: string }>`
    select format('%s (%s.%s)', name, storage_schema, storage_table) as name from docket.sys_db_table
    where storage_schema <> 'docket' order by name`)
  return rows.map(({ name }) => name)
}
