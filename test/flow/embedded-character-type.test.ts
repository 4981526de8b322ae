import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { buildWaitingIndexes } from '../../src/catalog/change/make-index.ts'
import { openDatabase } from '../../src/database/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/database/embedded/start-embedded-postgres.ts'
import { migrate } from '../../src/database/migrations.ts'
import type { Observation } from '../../src/telemetry/observation.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import { temporaryFolder } from '../harness/spawn-docket.ts'

let running: EmbeddedPostgres | undefined
let observed: Observation[] = []
afterEach(async () => {
  await running?.stop()
  running = undefined
})

async function start(dataDirectory: string): Promise<EmbeddedPostgres> {
  observed = []
  running = await startEmbeddedPostgres({
    dataDirectory,
    maxConnections: 20,
    isDurable: false,
    observe: (seen) => observed.push(seen),
    onLost: (failure) => {
      throw failure
    },
  })
  return running
}

async function stop(): Promise<void> {
  await running?.stop()
  running = undefined
}

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

/** A data directory of an older Docket: the database has the locale C, and a task in Cyrillic. */
async function makeOld(dataDirectory: string, ...more: readonly string[]): Promise<void> {
  const server = await start(dataDirectory)
  await run(
    server.bootstrapConnectionString('postgres'),
    'drop database docket',
    `create database docket owner docket template template0 lc_ctype 'C'`,
  )
  await migrate({ connectionString: server.connectionString(), observe: observeNothing })
  await run(
    server.connectionString(),
    `insert into docket.task (number, subject) values ('TSK1', 'Не печатает «принтер»')`,
    ...more,
  )
  await stop()
}

const characterType = `select datctype from pg_database where datname = 'docket'`
const indexStates = `select distinct purpose, state from docket.sys_db_index where purpose in ('search', 'contains') order by 1, 2`
/** Using the index only. */
const found = [
  'set enable_seqscan = off',
  'set enable_indexscan = off',
  `select number from docket.task where docket_system.fold(subject) like '%ринте%'`,
]

test('a new embedded database knows the letters of every alphabet (issue 12, C)', async () => {
  const server = await start(temporaryFolder())
  expect(await run(server.connectionString(), characterType)).toEqual([{ datctype: 'C.UTF-8' }])
  await migrate({ connectionString: server.connectionString(), observe: observeNothing })
  expect(await run(server.connectionString(), `select show_trgm('ёж') as trigrams`)).toEqual([
    { trigrams: expect.arrayContaining([expect.any(String)]) },
  ])
  expect(await run(server.connectionString(), indexStates)).toEqual([
    { purpose: 'contains', state: 'ready' },
    { purpose: 'search', state: 'ready' },
  ])
})

test.each([
  { state: 'as the older Docket left it', more: [] },
  {
    state: 'after a move that was interrupted',
    more: [
      `do $$ declare i text; begin
        for i in select storage_index from docket.sys_db_index where purpose = 'search' loop execute format('drop index docket.%I', i); end loop;
        update docket.sys_db_index set state = 'waiting', storage_index = null where purpose = 'search';
      end $$`,
    ],
  },
])('an embedded database with the locale C is moved at the next start, $state (issue 12, C)', async ({ more }) => {
  const dataDirectory = temporaryFolder()
  await makeOld(dataDirectory, ...more)
  const server = await start(dataDirectory)
  expect(observed).toContainEqual({ kind: 'character-type-changed', characterType: 'C.UTF-8' })
  const url = server.connectionString()
  expect(await run(url, characterType)).toEqual([{ datctype: 'C.UTF-8' }])
  expect(await run(url, indexStates)).toEqual([
    { purpose: 'contains', state: 'waiting' },
    { purpose: 'search', state: 'waiting' },
  ])
  expect(await run(url, ...found)).toEqual([{ number: 'TSK1' }])

  const database = openDatabase({ connectionString: url, maxConnections: 2, statementTimeoutMs: 0 })
  try {
    await buildWaitingIndexes(database)
    expect(await run(url, indexStates)).toEqual([
      { purpose: 'contains', state: 'ready' },
      { purpose: 'search', state: 'ready' },
    ])
    expect(await run(url, ...found)).toEqual([{ number: 'TSK1' }])
    // Parts of Cyrillic words are in the index, and a condition on them uses it.
    expect(await run(url, `select show_trgm('ёж') <> '{}' as has_parts`)).toEqual([{ has_parts: true }])
    const plan = await run(
      url,
      'set enable_seqscan = off',
      `explain (costs off) select number from docket.task where docket_system.fold(subject) like '%ринте%'`,
    )
    expect(JSON.stringify(plan)).toMatch(/Bitmap Index Scan/)
  } finally {
    await database.close()
  }
  await stop()
  await start(dataDirectory)
  expect(observed.map(({ kind }) => kind)).not.toContain('character-type-changed')
})

test('an embedded database whose other indexes depend on the locale C is left as it is (issue 12, C)', async () => {
  const dataDirectory = temporaryFolder()
  await makeOld(
    dataDirectory,
    'create schema crm',
    'create table crm.note (body text)',
    `create index note_words on crm.note using gin (to_tsvector('russian', body))`,
  )
  const server = await start(dataDirectory)
  expect(observed).toContainEqual({
    kind: 'character-type-kept',
    reason: 'the index crm.note_words, which Docket did not create, depends on it',
  })
  expect(await run(server.connectionString(), characterType)).toEqual([{ datctype: 'C' }])
})
