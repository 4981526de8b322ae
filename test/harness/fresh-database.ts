import pg from 'pg'
import { inject } from 'vitest'
import { addColumnTypes } from '../../src/catalog/add-column-types.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrations.ts'
import { ensureAdministrator } from '../../src/identity/administrator.ts'
import { sql } from '../../src/kernel/sql.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import { stillRunning } from './still-running.ts'

/** The administrator of every database, except a blank one. */
export const admin = { user: 'admin', password: 'admin-password' } as const

/**
 * `blank`: an empty database, for tests of migrations. `empty`: a migrated database with the built-in rows and the administrator. `demo`:
 * also the demo service desk as of `demoNowMs`.
 */
export type Template = 'blank' | 'empty' | 'demo'

export const demoNowMs = Date.UTC(2026, 5, 15, 9)

export interface FreshDatabase {
  readonly connectionString: string
  /** Opened on first use. */
  readonly database: Database
  /** Closes `database` and drops it. Fails if there is another connection to it: a test left something running. */
  drop(): Promise<void>
}

/** A new database, copied from a template in about 50 ms. Drop it in `afterAll`. */
export async function freshDatabase(template: Template = 'empty'): Promise<FreshDatabase> {
  return makeFrom((server) => (template === 'blank' ? Promise.resolve('template0') : templateOf(server, template)))
}

/** A copy of another database. There must be no connection to it. */
export async function copyDatabase({ connectionString }: FreshDatabase): Promise<FreshDatabase> {
  return makeFrom(() => Promise.resolve(new URL(connectionString).pathname.slice(1)))
}

async function makeFrom(sourceOf: (server: pg.Client) => Promise<string>): Promise<FreshDatabase> {
  const name = `${inject('testDatabasePrefix')}${process.pid}_${++made}`
  await onServer(async (server) => {
    await server.query(`create database "${name}" template "${await sourceOf(server)}" encoding 'UTF8'`)
  })
  stillRunning.add(`database ${name}`)
  const connectionString = urlOf(name)
  let opened: Database | undefined
  return {
    connectionString,
    get database() {
      opened ??= openDatabase({ connectionString, maxConnections: 4, statementTimeoutMs: 30_000 })
      return opened
    },
    async drop() {
      await opened?.close()
      stillRunning.delete(`database ${name}`)
      await dropUnused(name)
    },
  }
}

let made = 0

/** Created once per run, by the first caller. Test files run in parallel, so the others wait for the lock. */
async function templateOf(server: pg.Client, template: Exclude<Template, 'blank'>): Promise<string> {
  const name = `${inject('testDatabasePrefix')}template_${template}`
  await server.query('select pg_advisory_lock(hashtext($1))', [name])
  const found = await server.query('select from pg_database where datname = $1', [name])
  if (found.rows.length === 0) {
    // Under another name until it is complete, so that an incomplete template is never copied.
    const unfinished = `${name}_unfinished`
    await server.query(`drop database if exists "${unfinished}" with (force)`)
    await server.query(`create database "${unfinished}" template template0 encoding 'UTF8'`)
    await fillTemplate(urlOf(unfinished), template)
    await server.query(`alter database "${unfinished}" rename to "${name}"`)
  }
  await server.query('select pg_advisory_unlock(hashtext($1))', [name])
  return name
}

async function fillTemplate(connectionString: string, template: 'empty' | 'demo'): Promise<void> {
  await migrate({ connectionString, observe: observeNothing })
  const database = openDatabase({ connectionString, maxConnections: 1, statementTimeoutMs: 0 })
  await addColumnTypes(database)
  await ensureAdministrator(database, { password: admin.password })
  await fixLoginSecret(database)
  if (template === 'demo') {
    // Imported on demand: few test files need the demo desk, and its texts are large.
    const { fillWithDemoData } = await import('../../src/demo/load-demo-data.ts')
    await database.inTransaction((session) => fillWithDemoData(session, { nowMs: demoNowMs }))
  }
  await database.close()
}

/**
 * Two wrong passwords count as one if 16 bits of their keyed hashes are equal. With a random key, one run in some hundred would count one
 * failure less than the test sent.
 */
async function fixLoginSecret(database: Database): Promise<void> {
  await database.rows(sql`update docket_system.login_secret set secret = 'the same in every test'`)
}

/** PostgreSQL waits five seconds for connections that are just closing; then the drop fails. */
async function dropUnused(name: string): Promise<void> {
  await onServer(async (server) => {
    try {
      await server.query(`drop database "${name}"`)
    } catch (error) {
      const { rows } = await server.query(
        'select application_name, state, query from pg_stat_activity where datname = $1',
        [name],
      )
      await server.query(`drop database "${name}" with (force)`)
      throw new Error(`somebody is still connected to a test's database: ${JSON.stringify(rows)}`, { cause: error })
    }
  })
}

async function onServer<T>(work: (server: pg.Client) => Promise<T>): Promise<T> {
  const server = new pg.Client({ connectionString: inject('testServerUrl') })
  await server.connect()
  try {
    return await work(server)
  } finally {
    await server.end()
  }
}

/** The URL of another database on the server of the run, with the same query string (the folder of a socket). */
function urlOf(database: string): string {
  const url = new URL(inject('testServerUrl'))
  url.pathname = `/${database}`
  return url.href
}
