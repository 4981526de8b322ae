import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { type Clock, systemClock } from '../kernel/clock.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import type { Observe } from '../telemetry/observation.ts'
import { LOCKS } from './advisory-locks.ts'
import { connectOnce } from './connect-once.ts'
import { applyFunctions, readFunctionFiles, waitingFunctions } from './function-files.ts'
import { rejectUnfinishedRestore } from './restore-marker.ts'
import { rejectUnfitServer } from './server-fitness.ts'

export interface MigrationOptions {
  readonly connectionString: string
  readonly observe: Observe
  readonly clock?: Clock
  /** Tests bring their own. */
  readonly folder?: string
}

interface Migration {
  /** The file name without `.sql`; the order of names is the order of application. */
  readonly name: string
  readonly text: string
  /** SHA-256 of the text, hexadecimal. */
  readonly checksum: string
}

export interface Applied {
  readonly name: string
  readonly checksum: string
}

/** @throws StartFailure if this version cannot upgrade a database with these migrations */
export function rejectUnknownMigrations(applied: readonly Applied[]): void {
  rejectForeignHistory(readMigrations(builtInFolder), applied)
}

/** Names of the migrations of this version, in the order of their application. */
export function listMigrations(): readonly string[] {
  return readMigrations(builtInFolder).map(({ name }) => name)
}

/** The functions of this version that differ in the database. */
export async function listWaitingFunctions(client: pg.Client): Promise<readonly string[]> {
  return (await waitingFunctions(client, readFunctionFiles(builtInFolder))).map(({ name }) => name)
}

const builtInFolder = fileURLToPath(new URL('../../migrations/', import.meta.url))

/**
 * Upgrades the database to this version: each file of `migrations/` once, in order, each in a separate transaction; then the changed files
 * of `migrations/functions/`. Several processes may call this at once; one works, the others wait and then have nothing to do.
 *
 * @returns whether the database was empty before
 * @throws StartFailure if the server is not supported, or its schema comes from a newer or a modified Docket
 */
export async function migrate(options: MigrationOptions): Promise<{ readonly wasEmpty: boolean }> {
  const migrations = readMigrations(options.folder ?? builtInFolder)
  const client = await connectOnce(options.connectionString, 'docket migrations')
  try {
    await rejectUnfitServer(client)
    await rejectUnfinishedRestore(client)
    await client.query('select pg_advisory_lock($1)', [LOCKS.migrations])
    // A restore that held the lock meanwhile may have failed.
    await rejectUnfinishedRestore(client)
    const applied = await readApplied(client)
    rejectForeignHistory(migrations, applied)
    await applyAll(client, migrations.slice(applied.length), { ...options, newest: applied.at(-1)?.name })
    const functions = await applyFunctions(client, readFunctionFiles(options.folder ?? builtInFolder))
    if (functions.length > 0) options.observe({ kind: 'functions-applied', names: functions })
    return { wasEmpty: applied.length === 0 }
  } finally {
    await client.end()
  }
}

/** @param options.newest the last migration that the database has; undefined on a first start */
async function applyAll(
  client: pg.Client,
  waiting: readonly Migration[],
  options: MigrationOptions & { readonly newest: string | undefined },
): Promise<void> {
  const { observe, newest, clock = systemClock } = options
  const last = waiting.at(-1)
  if (last === undefined) return
  const beganMs = clock.nowMs()
  if (newest === undefined) observe({ kind: 'first-start', migrations: waiting.length })
  for (const migration of waiting) await apply(client, migration, options)
  const tookMs = clock.nowMs() - beganMs
  if (newest !== undefined)
    observe({ kind: 'schema-upgraded', from: newest, to: last.name, migrations: waiting.length, tookMs })
}

function readMigrations(folder: string): readonly Migration[] {
  return readdirSync(folder)
    .filter((file) => /^\d{6}.*\.sql$/.test(file))
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n')
      return { name: file.slice(0, -'.sql'.length), text, checksum: createHash('sha256').update(text).digest('hex') }
    })
}

async function readApplied(client: pg.Client): Promise<readonly Applied[]> {
  await client.query(`
    create schema if not exists docket_system;
    create table if not exists docket_system.migration (
      name text primary key,
      checksum text not null,
      applied_at timestamp not null default (now() at time zone 'UTC')
    )`)
  const { rows } = await client.query<Applied>('select name, checksum from docket_system.migration order by name')
  return rows
}

/** The applied migrations must be the beginning of those of this version, byte by byte. */
function rejectForeignHistory(migrations: readonly Migration[], applied: readonly Applied[]): void {
  for (const [position, { name, checksum }] of applied.entries()) {
    const ours = migrations.find((migration) => migration.name === name)
    if (ours === undefined)
      throw new StartFailure(
        `The database was written by a newer Docket (it has the migration ${name}, which this one does not know): start that version, or a database of its own.`,
      )
    if (ours.checksum !== checksum)
      throw new StartFailure(
        `The file migrations/${name}.sql was changed after this database had applied it: put the released file back, and write changes into a new migration.`,
      )
    if (migrations[position] !== ours)
      throw new StartFailure(
        `The migration ${migrations[position]?.name} was added before ${name}, which this database already has: give it a higher number.`,
      )
  }
}

async function apply(client: pg.Client, migration: Migration, { observe, clock = systemClock }: MigrationOptions) {
  const beganMs = clock.nowMs()
  try {
    await client.query('begin')
    // A migration names every schema; a search path that it sets must not affect the next one.
    await client.query(`set local search_path = pg_catalog`)
    await client.query(migration.text)
    await client.query('insert into docket_system.migration (name, checksum) values ($1, $2)', [
      migration.name,
      migration.checksum,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw explain(migration, error)
  }
  observe({ kind: 'migration-applied', name: migration.name, tookMs: clock.nowMs() - beganMs })
}

function explain(migration: Migration, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const message = error instanceof Error ? error.message : String(error)
  if (code === '42501')
    return new StartFailure(
      `The user of DOCKET_DATABASE_URL may not make Docket's schema (${message}): give it the right CREATE on the database, or let its owner start Docket once.`,
      { cause: error },
    )
  return new Error(`migration ${migration.name} failed: ${message}`, { cause: error })
}
