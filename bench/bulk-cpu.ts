/**
 * npm run bench:bulk-cpu: CPU of imports and exports, of this checkout and of others beside it. They take turns within each round, so
 * that what else the machine does meets all of them alike.
 *
 *   --beside 1f325a6=../docket-1f325a6,main=../docket-main   names and folders of other checkouts
 *   --rows 5000  --tasks 40000  --rounds 6
 *   --profile FOLDER   CPU profiles of the servers
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { sql } from '../src/kernel/sql.ts'
import { printSpread, spreadOf } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { cpuSecondsOf } from './measure/process-usage.ts'
import { table, writeResults } from './measure/results.ts'
import type * as Seed from './records/seed.ts'
import type * as Servers from './records/servers.ts'
import type { BenchDatabase, Target } from './records/servers.ts'

const { values: given } = parseArgs({
  options: {
    beside: { type: 'string', default: '' },
    rows: { type: 'string', default: '5000' },
    tasks: { type: 'string', default: '40000' },
    rounds: { type: 'string', default: '6' },
    profile: { type: 'string', default: '' },
    cases: { type: 'string', default: '' },
  },
})
const [rows, tasks, rounds] = [Number(given.rows), Number(given.tasks), Number(given.rounds)]

/** A checkout with its server, and its data in a PostgreSQL of its own. */
interface Checkout {
  readonly name: string
  readonly bench: BenchDatabase
  readonly docket: Target
  readonly adminKey: string
  readonly readerKey: string
}

interface Case {
  readonly what: string
  readonly count: number
  readonly work: (checkout: Checkout) => Promise<void>
  /** Not measured. */
  readonly after?: (checkout: Checkout) => Promise<void>
}

const plain = 'number,subject,state,priority,opened_at,caller'
const paths = `${plain},caller.user_name,caller.email,assignment_group.name`
const line = (n: number): string => `company ${n},Perm,Russia,mail${n}@example.com\n`
const file = `name,city,country,email\n${Array.from({ length: rows }, (_, n) => line(n)).join('')}`

async function importCsv({ docket, adminKey }: Checkout, query: string): Promise<void> {
  const response = await fetch(`http://${docket.host}:${docket.port}/rest/v1/import/company${query}`, {
    method: 'POST',
    body: file,
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'text/csv' },
  })
  const { data } = (await response.json()) as { data: { failed: number } }
  if (response.status !== 200 || data.failed > 0) throw new Error(JSON.stringify(data))
}

async function readExport({ docket }: Checkout, key: string, format: string, fields: string): Promise<void> {
  const query = new URLSearchParams({ format, sysparm_fields: fields })
  const response = await fetch(`http://${docket.host}:${docket.port}/rest/v1/export/task?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  let lines = 0
  for await (const piece of response.body ?? []) {
    const buffer = Buffer.from(piece as Uint8Array)
    for (let at = buffer.indexOf(10); at >= 0; at = buffer.indexOf(10, at + 1)) lines += 1
  }
  if (lines !== tasks + (format === 'csv' ? 1 : 0)) throw new Error(`${response.status}: ${lines} lines`)
}

async function empty({ bench }: Checkout): Promise<void> {
  await bench.database.rows(sql`delete from docket.company`)
  await bench.database.rows(sql`vacuum (analyze) docket.company`)
}

const analyze = async ({ bench }: Checkout): Promise<void> => {
  await bench.database.rows(sql`analyze docket.company`)
}

const allCases: readonly Case[] = [
  { what: 'import, new rows', count: rows, work: (each) => importCsv(each, ''), after: empty },
  { what: 'import by key, new rows', count: rows, work: (each) => importCsv(each, '?key=name'), after: analyze },
  { what: 'import by key, existing rows', count: rows, work: (each) => importCsv(each, '?key=name'), after: empty },
  ...(['csv', 'ndjson'] as const).flatMap((format): readonly Case[] => [
    { what: `export ${format}`, count: tasks, work: (each) => readExport(each, each.adminKey, format, plain) },
    {
      what: `export ${format}, under a rule`,
      count: tasks,
      work: (each) => readExport(each, each.readerKey, format, paths),
    },
  ]),
]
const cases = allCases.filter(({ what }) => what.startsWith(given.cases))

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const checkouts: Checkout[] = []
for (const [name = '', folder = ''] of pairsOf(given.beside)) checkouts.push(await startCheckout(name, resolve(folder)))
checkouts.push(await startCheckout('this', resolve(import.meta.dirname, '..')))

/** By case and checkout, a figure of each round. */
const measured = cases.map(({ what, count }) => ({
  what,
  count,
  checkouts: checkouts.map(({ name }) => ({ name, serverUs: [] as number[], databaseUs: [] as number[] })),
}))
// The first round warms up plans, prepared statements and compiled code.
for (let round = -1; round < rounds; round += 1) {
  for (const [caseAt, each] of cases.entries()) {
    for (const [at, checkout] of checkouts.entries()) {
      const [serverUs, databaseUs] = await measure(each, checkout)
      if (round < 0) continue
      measured[caseAt]?.checkouts[at]?.serverUs.push(serverUs)
      measured[caseAt]?.checkouts[at]?.databaseUs.push(databaseUs)
    }
  }
}
writeResults('bulk-cpu', { machine, ...given, measured }, pageOf())

function pairsOf(text: string): readonly (readonly string[])[] {
  return text === '' ? [] : text.split(',').map((pair) => pair.split('='))
}

/** Each checkout seeds and starts by its own code: their schemas differ. */
async function startCheckout(name: string, folder: string): Promise<Checkout> {
  const { startPostgres, startDocket } = (await import(`${folder}/bench/records/servers.ts`)) as typeof Servers
  const { seed, keyFor } = (await import(`${folder}/bench/records/seed.ts`)) as typeof Seed
  const bench = await (await startPostgres(started))('bench')
  console.log(`${name}: ${tasks} tasks in PostgreSQL ${bench.version} …`)
  const { adminKey } = await seed(bench.database, { tasks, users: 500, groups: 20 })
  const readerId = await addReader(bench)
  await bench.database.rows(sql`create index on docket.company (docket_system.fold(name))`)
  const profiling = { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${resolve(given.profile)}/${name}` }
  const docket = await startDocket(bench, started, given.profile === '' ? {} : profiling)
  return { name, bench, docket, adminKey, readerKey: await keyFor(bench.database, readerId) }
}

/** A user who sees nearly all tasks, by a condition that is checked for each row. */
async function addReader({ database }: BenchDatabase): Promise<string> {
  const [reader] = await database.rows<{ id: string }>(sql`
    with r as (insert into docket.sys_role (name) values ('bench_reader') returning sys_id),
      u as (insert into docket."user" (user_name, display_name) values ('bench.reader', 'Reader') returning sys_id),
      l as (insert into docket.sys_user_has_role (user_id, role_id) select u.sys_id, r.sys_id from u, r),
      a as (insert into docket.sys_security_acl (operation, table_name, roles, condition)
        select 'read', t, array[r.sys_id::text], c from r,
          (values ('task', 'priority!=9^caller.active=true'), ('user', ''), ('sys_group', '')) v (t, c))
    select sys_id::text as id from u`)
  return reader?.id ?? ''
}

/** @returns microseconds a row, of the server and of PostgreSQL */
async function measure({ count, work, after }: Case, checkout: Checkout): Promise<readonly [number, number]> {
  const { docket, bench } = checkout
  const used = (): readonly number[] => [cpuSecondsOf(docket.processId), cpuSecondsOf(bench.processId)]
  const [serverBefore = 0, databaseBefore = 0] = used()
  await work(checkout)
  const [serverAfter = 0, databaseAfter = 0] = used()
  await after?.(checkout)
  return [((serverAfter - serverBefore) / count) * 1e6, ((databaseAfter - databaseBefore) / count) * 1e6]
}

function pageOf(): readonly string[] {
  const heads = [
    '',
    'checkout',
    'server CPU, µs a row',
    'PostgreSQL CPU, µs a row',
    'server, of the first',
    'PostgreSQL',
  ]
  const lines = measured.flatMap(({ what, checkouts: each }) => {
    const [first] = each
    return each.map(({ name, serverUs, databaseUs }) => [
      what,
      name,
      printSpread(spreadOf(serverUs)),
      printSpread(spreadOf(databaseUs)),
      ratioOf(serverUs, first?.serverUs ?? []),
      ratioOf(databaseUs, first?.databaseUs ?? []),
    ])
  })
  return ['Medians of the rounds, with the least and the greatest.', '', ...table(heads, lines)]
}

function ratioOf(figures: readonly number[], others: readonly number[]): string {
  return (spreadOf(figures).median / spreadOf(others).median).toFixed(2)
}
