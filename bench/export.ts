/**
 * npm run bench:export: a million records as a file, in every format, for an administrator and for a user whose rule has a condition and
 * whose columns are behind references; for a client that reads slowly and for clients that disconnect.
 *
 *   --rows 1000000
 */
import { get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sql } from '../src/kernel/sql.ts'
import { rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { type MemoryCurve, withMemoryCurve } from './measure/memory-curve.ts'
import { cpuSecondsOf } from './measure/process-usage.ts'
import { table, writeResults } from './measure/results.ts'
import { keyFor, seed } from './records/seed.ts'
import { startDocket, startPostgres } from './records/servers.ts'

const { values: given } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } })
const count = Number(given.rows)

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const bench = await (await startPostgres(started))('bench')
const seeded = await seed(bench.database, { tasks: count, users: 500, groups: 20 })
// A user who sees nearly all records, by a condition that is checked for each row.
const [reader] = await bench.database.rows<{ id: string }>(sql`
  with r as (insert into docket.sys_role (name) values ('bench_reader') returning sys_id),
    u as (insert into docket."user" (user_name, display_name) values ('bench.reader', 'Reader') returning sys_id),
    l as (insert into docket.sys_user_has_role (user_id, role_id) select u.sys_id, r.sys_id from u, r),
    a as (insert into docket.sys_security_acl (operation, table_name, roles, condition)
      select 'read', t, array[r.sys_id::text], c from r, (values ('task', 'priority!=9^caller.active=true'), ('user', ''), ('sys_group', '')) v (t, c))
  select sys_id::text as id from u`)
const docket = await startDocket(bench, started)
const keys = { administrator: seeded.adminKey, 'reader under a rule': await keyFor(bench.database, reader?.id ?? '') }
const plain = 'number,subject,state,priority,opened_at,caller'
const walked = `${plain},caller.user_name,caller.email,assignment_group.name`

interface Row {
  readonly what: string
  readonly rowsPerSecond: number
  readonly megabytes: number
  readonly postgresUs: number
  readonly docketUs: number
  readonly memory: MemoryCurve
}
const rows: Row[] = []

interface RankRequest {
  readonly key: string
  readonly format: string
  readonly fields: string
  /** Milliseconds between two chunks. */
  readonly pauseMs?: number
}

async function readExport({ key, format, fields, pauseMs = 0 }: RankRequest) {
  const query = new URLSearchParams({ format, sysparm_fields: fields })
  const response = await fetch(`http://${docket.host}:${docket.port}/rest/v1/export/task?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  let [lines, bytes] = [0, 0]
  for await (const piece of response.body ?? []) {
    const buffer = Buffer.from(piece as Uint8Array)
    for (let at = buffer.indexOf(10); at >= 0; at = buffer.indexOf(10, at + 1)) lines += 1
    bytes += buffer.length
    if (pauseMs > 0) await delay(pauseMs)
  }
  const expected = count + (format === 'csv' ? 1 : 0)
  if (response.status !== 200 || lines !== expected) throw new Error(`${response.status}: ${lines} lines`)
  return bytes
}

async function measure(what: string, work: () => Promise<number>): Promise<void> {
  const before = [cpuSecondsOf(bench.processId), cpuSecondsOf(docket.processId)] as const
  const begun = performance.now()
  let bytes = 0
  const memory = await withMemoryCurve(docket.processId, async () => {
    bytes = await work()
  })
  const seconds = (performance.now() - begun) / 1_000
  const us = (now: number, then: number): number => rounded(((now - then) / count) * 1e6)
  rows.push({
    what,
    rowsPerSecond: rounded(count / seconds),
    megabytes: Math.round(bytes / 1e6),
    postgresUs: us(cpuSecondsOf(bench.processId), before[0]),
    docketUs: us(cpuSecondsOf(docket.processId), before[1]),
    memory,
  })
}

for (const [who, key] of Object.entries(keys)) {
  for (const format of ['csv', 'ndjson']) {
    const fields = who === 'administrator' ? plain : walked
    await measure(`${format}, ${who}`, () => readExport({ key, format, fields }))
  }
}
const slow = { key: keys.administrator, format: 'csv', fields: plain, pauseMs: 15 }
await measure('csv, administrator, a client that reads slowly', () => readExport(slow))

/** Clients that start to read and disconnect. */
const leave = 20
await measure(`${leave} clients that go away, then csv again`, async () => {
  for (let client = 0; client < leave; client += 1) {
    await new Promise<void>((resolve) => {
      const requested = get({
        ...{ host: docket.host, port: docket.port },
        path: `/rest/v1/export/task?format=csv&sysparm_fields=${plain}`,
        headers: { authorization: `Bearer ${seeded.adminKey}` },
      })
      requested.on('response', (response) => response.once('data', () => requested.destroy()))
      requested.on('close', () => resolve())
      requested.on('error', () => undefined)
    })
  }
  return readExport({ key: keys.administrator, format: 'csv', fields: plain })
})
const [busy] = await bench.database.rows<{ count: string }>(sql`
  select count(*)::text as count from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`)
const copied = performance.now()
await bench.database.rows(
  sql`copy (select number, subject, state, priority, opened_at, caller from docket.task) to '/dev/null' csv`,
)
const copySeconds = (performance.now() - copied) / 1_000

writeResults(
  'export',
  { machine, postgres: bench.version, rows: count, measured: rows, busyAfterwards: busy?.count, copySeconds },
  [
    ...table(
      ['what', 'rows/s', 'MB', 'µs of PostgreSQL a row', 'µs of Docket a row', 'memory before, MiB', 'at most, MiB'],
      rows.map(({ what, rowsPerSecond, megabytes, postgresUs, docketUs, memory }) => [
        what,
        ...[rowsPerSecond, megabytes, postgresUs, docketUs, memory.before, memory.peak].map(String),
      ]),
    ),
    '',
    `COPY TO of the administrator's columns: ${rounded(count / copySeconds)} rows/s. Statements that still run afterwards: ${busy?.count}.`,
    '',
    'Memory over the time of each, in MiB:',
    '',
    ...rows.map(({ what, memory }) => `* ${what}: ${memory.curve.join(' ')}`),
  ],
)
