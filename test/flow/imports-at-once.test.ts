import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { type DictionaryDesk, openDesk } from '../contract/dictionary/dictionary-desk.ts'
import { admin, type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
/** Two processes with few connections, so that a connection that is held becomes visible. */
let desks: readonly [DictionaryDesk, DictionaryDesk]
const environment = { DOCKET_DATABASE_POOL: '3' }
beforeAll(async () => {
  fresh = await freshDatabase()
  desks = [await openDesk({ fresh, environment }), await openDesk({ fresh, environment })]
})
afterAll(async () => {
  for (const desk of desks) await desk.close()
  await fresh.drop()
})

interface Imported {
  readonly inserted: number
  readonly updated: number
  readonly failed: number
  readonly errors: readonly unknown[]
}
async function importCsv(desk: DictionaryDesk, query: string, text: string, table = 'company'): Promise<Imported> {
  const headers = { 'content-type': 'text/csv' }
  const response = await desk.docket.request('POST', `/rest/v1/import/${table}${query}`, {
    as: admin,
    body: text,
    headers,
  })
  if (response.status !== 200) throw new Error(`${response.status} ${response.text}`)
  return (response.body as { data: Imported }).data
}

test('imports of the same new records at once, in two processes, make each once, without an index that holds them unique', async () => {
  const rows = Array.from({ length: 700 }, (_, n) => `at once ${n},Perm`)
  const others = rows.toReversed()
  const files = [rows, others, rows, others].map((lines) => `name,city\n${lines.join('\n')}\n`)
  const imported = await Promise.all(files.map((file, at) => importCsv(desks[at % 2 === 0 ? 0 : 1], '?key=name', file)))
  const sum = (of: (one: Imported) => number) => imported.reduce((all, one) => all + of(one), 0)
  expect([
    sum(({ inserted }) => inserted),
    sum(({ updated }) => updated),
    imported.flatMap(({ errors }) => errors),
  ]).toEqual([700, 3 * 700, []])
  expect(await counted('at once %')).toEqual({ all: 700, names: 700 })
})

test('a parent’s import and a child’s do not make the same record twice either', async () => {
  const lines = (kind: string) =>
    `subject,short_description\n${Array.from({ length: 300 }, (_, n) => `kin ${n},${kind}`).join('\n')}\n`
  const tables = ['task', 'itsm_incident', 'task', 'itsm_incident'] as const
  await Promise.all(
    tables.map((table, at) => importCsv(desks[at % 2 === 0 ? 0 : 1], '?key=subject', lines(table), table)),
  )
  const [found] = await fresh.database.rows<{ copies: number; tasks: number }>(sql`
    select max(n)::integer as copies, count(*)::integer as tasks from (
      select count(*) filter (where t.name = 'itsm_incident') as n from docket.task k join docket.sys_db_table t on t.sys_id = k.sys_db_table_id
      where starts_with(k.subject, 'kin ') group by k.subject) as each`)
  // An import of incidents cannot find a task of another class.
  expect(found).toEqual({ copies: 1, tasks: 300 })
})

test('who writes without an import is not held up by one, and nothing of either is lost', async () => {
  const rows = Array.from({ length: 1_500 }, (_, n) => `beside ${n},Perm`)
  const importing = importCsv(desks[0], '?key=name', `name,city\n${rows.join('\n')}\n`)
  // One after the other on each server. All wait for one connection, and whoever waits for two seconds is rejected.
  const posted = await Promise.all(
    desks.map(async (desk, at) => {
      const ids: string[] = []
      for (let n = 0; n < 30; n += 1)
        ids.push(await desk.record('company', { name: `besides ${at} ${n}`, city: 'Ufa' }))
      return ids
    }),
  )
  expect(new Set(posted.flat()).size).toBe(60)
  expect(await importing).toMatchObject({ inserted: 1_500, failed: 0 })
  expect(await counted('beside %')).toEqual({ all: 1_500, names: 1_500 })
  expect(await counted('besides %')).toEqual({ all: 60, names: 60 })
})

async function counted(like: string) {
  const [row] = await fresh.database.rows<{ all: number; names: number }>(sql`
    select count(*)::integer as all, count(distinct name)::integer as names from docket.company where name like ${like}`)
  return row
}

test('an export whose reader stands still keeps no connection, and ends when the reader goes', async () => {
  const [desk] = desks
  await fresh.database.rows(sql`insert into docket.company (name, city, country)
    select 'wide ' || n, 'wide', repeat('x', 300) from generate_series(1, 60000) n`)
  const before = desk.docket.observations.length
  const readers = await Promise.all(Array.from({ length: 4 }, () => standStill(desk)))
  // More exports than connections: each of these needs one. On a busy machine it may wait for pages of the exports until it is rejected.
  const status = async () => (await desk.send('GET /rest/v1/table/company?sysparm_limit=1')).status
  for (let turn = 0; turn < 10; turn += 1) await expect.poll(status).toBe(200)
  for (const reader of readers) reader.destroy()
  const running = () =>
    fresh.database.rows(sql`select query from pg_stat_activity
      where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`)
  await expect.poll(running, { timeout: 60_000 }).toEqual([])
  expect(desk.docket.observations.slice(before).filter(({ kind }) => kind === 'request-failed')).toEqual([])
})

/** Starts to read an export and then stops. */
function standStill(desk: DictionaryDesk): Promise<IncomingMessage> {
  const authorization = `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}`
  return new Promise((resolve, reject) => {
    const requested = get(
      `${desk.docket.baseUrl}/rest/v1/export/company?sysparm_query=city=wide&sysparm_fields=name,country`,
      { headers: { authorization } },
      (response) => {
        response.on('error', () => undefined)
        response.once('readable', () => resolve(response))
      },
    )
    requested.on('error', reject)
  })
}
