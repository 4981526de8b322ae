import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { clusterIn } from '../../src/database/embedded/cluster.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/database/embedded/start-embedded-postgres.ts'
import { migrate } from '../../src/database/migrations.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import { temporaryFolder } from '../harness/spawn-docket.ts'

const start = (dataDirectory: string): Promise<EmbeddedPostgres> =>
  startEmbeddedPostgres({
    dataDirectory,
    maxConnections: 20,
    isDurable: false,
    observe: observeNothing,
    onLost: (failure) => {
      throw failure
    },
  })

async function run(connectionString: string, ...texts: readonly string[]): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    let rows: readonly unknown[] = []
    for (const text of texts) rows = (await client.query(text)).rows
    return rows
  } finally {
    await client.end()
  }
}

const roles = `select rolname as name, rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls as "isPowerful"
  from pg_roles where rolname !~ '^pg_' order by 1`

test('the role of the embedded database is no superuser and owns its database (issue 8, A10)', async () => {
  const dataDirectory = temporaryFolder()
  const cluster = clusterIn(join(dataDirectory, 'postgres'))
  const server = await start(dataDirectory)
  try {
    expect(await run(server.connectionString(), roles)).toEqual([
      { name: 'docket', isPowerful: false },
      { name: 'docket_bootstrap', isPowerful: true },
    ])
    await expect(run(server.connectionString(), 'create role other superuser')).rejects.toThrow('permission denied')
    await expect(run(server.connectionString(), `copy (select 1) to program 'true'`)).rejects.toThrow(
      'permission denied',
    )
    await expect(run(server.connectionString(), 'set role docket_bootstrap')).rejects.toThrow('permission denied')
    // What Docket does, and an extension that PostgreSQL trusts.
    await migrate({ connectionString: server.connectionString(), observe: observeNothing })
    await run(server.connectionString(), 'create extension hstore', 'create schema crm')
  } finally {
    await server.stop()
  }
  expect(statSync(cluster.bootstrapPasswordFile).mode & 0o777).toBe(0o600)
  expect(readFileSync(cluster.bootstrapPasswordFile, 'utf8')).not.toBe(readFileSync(cluster.passwordFile, 'utf8'))
})

/** Turns a new cluster into one of an older Docket: one role, `docket`, which is PostgreSQL's first role and a superuser. */
async function makeOld(dataDirectory: string): Promise<void> {
  const cluster = clusterIn(join(dataDirectory, 'postgres'))
  const server = await start(dataDirectory)
  const superuser = server.bootstrapConnectionString('postgres')
  await run(
    superuser,
    'drop database docket',
    'drop role docket',
    `create role renamer superuser login password 'renamer'`,
  )
  const url = new URL(superuser)
  url.username = 'renamer'
  url.password = 'renamer'
  await run(url.href, 'alter role docket_bootstrap rename to docket')
  url.username = 'docket'
  url.password = readFileSync(cluster.bootstrapPasswordFile, 'utf8')
  await run(url.href, 'drop role renamer', 'create database docket')
  url.pathname = '/docket'
  await migrate({ connectionString: url.href, observe: observeNothing })
  await run(url.href, ...somebodysSchema)
  // The owner's lock ends with this server.
  await server.stop()
  writeFileSync(cluster.passwordFile, readFileSync(cluster.bootstrapPasswordFile))
  rmSync(cluster.bootstrapPasswordFile)
}

const somebodysSchema = [
  'create extension hstore',
  'create schema "C R M"',
  'create table "C R M".t (id serial primary key, n integer generated always as identity, note text) partition by range (id)',
  'create table "C R M".t_1 partition of "C R M".t for values from (1) to (100)',
  'create sequence "C R M".free',
  'create view "C R M".v as select * from "C R M".t',
  'create materialized view "C R M".m as select 1 as one',
  `create type "C R M".mood as enum ('good', 'bad')`,
  'create type "C R M".pair as (a integer, b integer)',
  'create type "C R M".span as range (subtype = integer)',
  'create domain "C R M".small as integer check (value < 10)',
  'create function "C R M".f(integer) returns integer language sql as $$ select $1 $$',
  'create procedure "C R M".p() language sql as $$ select 1 $$',
  'create aggregate "C R M".total(integer) (sfunc = int4pl, stype = integer)',
  'create statistics "C R M".s on id, note from "C R M".t_1',
  'insert into "C R M".t (note) values ($$kept$$)',
]

/** Objects of the first role in Docket's database, except PostgreSQL's own and extensions. */
const notMoved = `
  select c.oid::regclass::text as name from pg_class c where relowner = 10 and oid >= 16384
    and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
  union all select p.oid::regprocedure::text from pg_proc p where proowner = 10 and oid >= 16384
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  union all select t.oid::regtype::text from pg_type t where typowner = 10 and oid >= 16384 and typtype <> 'b'
    and not exists (select from pg_depend d where d.objid = t.oid and d.deptype = 'e')
  union all select nspname from pg_namespace where nspowner = 10 and oid >= 16384 and nspname !~ '^pg_(temp|toast_temp)'
  union all select stxname from pg_statistic_ext where stxowner = 10
  union all select datname from pg_database where datdba = 10 and datname = 'docket'`

test.each([
  { state: 'as the older Docket left it', interrupt: () => undefined },
  {
    state: 'after a move that was interrupted',
    interrupt: (dataDirectory: string) => {
      const cluster = clusterIn(join(dataDirectory, 'postgres'))
      writeFileSync(cluster.bootstrapPasswordFile, readFileSync(cluster.passwordFile))
      writeFileSync(cluster.passwordFile, 'never-committed')
    },
  },
])('a cluster whose role was a superuser is moved at the next start, $state (issue 8, A10)', async ({ interrupt }) => {
  const dataDirectory = temporaryFolder()
  await makeOld(dataDirectory)
  interrupt(dataDirectory)
  for (const _ of ['moves', 'finds it moved']) {
    const server = await start(dataDirectory)
    const url = server.connectionString()
    try {
      expect(await run(url, roles)).toEqual([
        { name: 'docket', isPowerful: false },
        { name: 'docket_bootstrap', isPowerful: true },
      ])
      expect(await run(url, notMoved)).toEqual([])
      expect(await run(url, 'select note from "C R M".v')).toEqual([{ note: 'kept' }])
      await run(url, 'alter table "C R M".t add column more integer', 'alter table "C R M".t drop column more')
      await run(
        url,
        `select docket_system.new_sys_id()`,
        'alter table docket.task add x integer',
        'alter table docket.task drop x',
      )
      await migrate({ connectionString: url, observe: observeNothing })
    } finally {
      await server.stop()
    }
  }
})
