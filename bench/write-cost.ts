/**
 * npm run bench:writes: what a change of a task writes into PostgreSQL's log (WAL), how often it is a HOT update (no index is written),
 * and what a page of a synchroniser costs, which reads by `sys_updated_at, sys_id`. Requests go over HTTP, one after another.
 *
 *   --tasks 100000  --changes 1000  --pages 20   how much
 */
import { parseArgs } from 'node:util'
import { sql } from '../src/kernel/sql.ts'
import { quantile, rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { cpuSecondsOf } from './measure/process-usage.ts'
import { table, writeResults } from './measure/results.ts'
import { seed } from './records/seed.ts'
import { startDocket, startPostgres } from './records/servers.ts'

const { values: given } = parseArgs({
  options: {
    tasks: { type: 'string', default: '100000' },
    changes: { type: 'string', default: '1000' },
    pages: { type: 'string', default: '20' },
  },
})

type Kind = (n: number) => Readonly<Record<string, unknown>>

/** Typical changes of a ticket: some columns have an index, others have none. */
const kinds: Readonly<Record<string, Kind>> = {
  'an entry in the journal': (n) => ({ comments: `Called back, asked for the log; attempt ${n}` }),
  'columns without an index': (n) => ({ urgency: String(1 + (n % 3)), impact: String(1 + (n % 2)) }),
  'the end of the agreed time': (n) => ({ sla_due: `2027-01-${String(1 + (n % 28)).padStart(2, '0')} 10:00:00` }),
  'state and a searched text': (n) => ({
    state: String(n % 6),
    short_description: `Called back, asked for the log; attempt ${n % 10}`,
  }),
  assignment: (n) => ({ assigned_user: seeded.userIds[n % seeded.userIds.length] }),
}

/** Statements are prepared and planned by then. */
const warmUpPages = 5

interface MeasuredKind {
  readonly kind: string
  readonly walRecords: number
  readonly walBytes: number
  readonly pageImageBytes: number
  readonly hotPart: number
  readonly databaseCpuUs: number
  readonly byRecordType: readonly { readonly type: string; readonly records: number; readonly bytes: number }[]
}

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const bench = await (await startPostgres(started))('bench')
const { database } = bench
console.log(`Seeding ${given.tasks} tasks into PostgreSQL ${bench.version} …`)
const seeded = await seed(database, { tasks: Number(given.tasks), users: 1_000, groups: 50 })
await database.rows(sql`create extension if not exists pg_walinspect`)
// Concurrent background work would be counted as well.
await database.rows(sql`alter system set autovacuum = off`)
await database.rows(sql`select pg_reload_conf()`)
const docket = await startDocket(bench, started)
const url = `http://${docket.host}:${docket.port}/rest/v1/table/task`
const headers = { authorization: `Bearer ${seeded.adminKey}`, 'content-type': 'application/json' }

const measured: MeasuredKind[] = []
for (const [kind, bodyOf] of Object.entries(kinds)) {
  await change(bodyOf, 0, 50)
  measured.push(await measureKind(kind, bodyOf))
  console.log(measured.at(-1))
}
const sizes = await readSizes()
const pages = { ascending: await readPages('ORDERBY'), descending: await readPages('ORDERBYDESC') }
writeResults(
  `writes-${given.tasks}`,
  {
    machine,
    postgres: bench.version,
    tasks: Number(given.tasks),
    changes: Number(given.changes),
    measured,
    sizes,
    pages,
  },
  pageOf(),
)

async function change(bodyOf: Kind, from: number, count: number): Promise<void> {
  for (let n = from; n < from + count; n += 1) {
    const id = seeded.taskIds[(n * 7) % seeded.taskIds.length]
    const response = await fetch(`${url}/${id}`, { method: 'PATCH', headers, body: JSON.stringify(bodyOf(n)) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 300)}`)
  }
}

async function measureKind(kind: string, bodyOf: Kind): Promise<MeasuredKind> {
  const count = Number(given.changes)
  const before = { at: await walPosition(), hot: await readUpdates(), cpu: cpuSecondsOf(bench.processId) }
  await change(bodyOf, 50, count)
  const cpu = cpuSecondsOf(bench.processId) - before.cpu
  const at = await walPosition()
  const hot = await readUpdates()
  const rows = await database.rows<{ type: string; records: string; bytes: string; images: string }>(sql`
    select "resource_manager/record_type" as type, count::text as records, record_size::text as bytes, fpi_size::text as images
    from pg_get_wal_stats(${before.at}::pg_lsn, ${at}::pg_lsn, true) where count > 0 order by record_size desc`)
  const total = (of: (row: (typeof rows)[number]) => string): number =>
    rows.reduce((sum, row) => sum + Number(of(row)), 0)
  return {
    kind,
    walRecords: total((row) => row.records) / count,
    walBytes: total((row) => row.bytes) / count,
    pageImageBytes: total((row) => row.images) / count,
    hotPart: (hot.hot - before.hot.hot) / (hot.all - before.hot.all),
    databaseCpuUs: (cpu * 1_000_000) / count,
    byRecordType: rows.map(({ type, records, bytes }) => ({
      type,
      records: Number(records) / count,
      bytes: Number(bytes) / count,
    })),
  }
}

async function walPosition(): Promise<string> {
  const [row] = await database.rows<{ at: string }>(sql`select pg_current_wal_flush_lsn()::text as at`)
  return row?.at ?? ''
}

/** Connections report their statistics a second later, or when they end. */
async function readUpdates(): Promise<{ readonly all: number; readonly hot: number }> {
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  const [row] = await database.rows<{ all: string; hot: string }>(sql`
    select n_tup_upd::text as all, n_tup_hot_upd::text as hot from pg_stat_user_tables
    where schemaname = 'docket' and relname = 'task'`)
  return { all: Number(row?.all), hot: Number(row?.hot) }
}

async function readSizes(): Promise<readonly { readonly name: string; readonly mib: number }[]> {
  const rows = await database.rows<{ name: string; bytes: string }>(sql`
    select c.relname as name, pg_relation_size(c.oid)::text as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('docket', 'docket_system') and (c.relname like 'task%' or c.relname like 'update%' or c.relname like 'change%')
      and c.relkind in ('r', 'i') and pg_relation_size(c.oid) > 1000000 order by 2 desc, 1`)
  return rows.map(({ name, bytes }) => ({ name, mib: rounded(Number(bytes) / 1_048_576) }))
}

interface MeasuredPages {
  readonly tookMs: readonly number[]
  /** Of a page, on average. */
  readonly databaseCpuMs: number
  readonly serverCpuMs: number
}

/** Pages of 1,000 rows, one after another by the cursor of the page before. */
async function readPages(order: string): Promise<MeasuredPages> {
  const tookMs: number[] = []
  let before = readCpu()
  const parameters = new URLSearchParams({
    sysparm_query: `${order}sys_updated_at`,
    sysparm_fields: 'sys_id,number,subject,state,sys_updated_at,assigned_user',
    sysparm_limit: '1000',
    sysparm_no_count: '1',
    sysparm_cursor: '*',
  })
  for (
    let at = 0, next: string | undefined = `${url}?${parameters}`;
    at < Number(given.pages) && next !== undefined;
    at += 1
  ) {
    if (at === warmUpPages) before = readCpu()
    const beganMs = performance.now()
    const response: Response = await fetch(next, { headers })
    await response.text()
    if (!response.ok) throw new Error(`${response.status}`)
    tookMs.push(performance.now() - beganMs)
    const link = response.headers.get('link')?.match(/<([^>]+)>; rel="next"/)?.[1]
    next = link === undefined ? undefined : new URL(link, url).href
  }
  const after = readCpu()
  const measuredMs = tookMs.slice(warmUpPages)
  const perPage = (of: keyof typeof after): number => ((after[of] - before[of]) * 1_000) / measuredMs.length
  return { tookMs: measuredMs, databaseCpuMs: perPage('database'), serverCpuMs: perPage('server') }
}

function readCpu() {
  return { database: cpuSecondsOf(bench.processId), server: cpuSecondsOf(docket.processId) }
}

function pageOf(): readonly string[] {
  const each = measured.map((one) => [
    one.kind,
    `${rounded(one.hotPart * 100)} %`,
    String(rounded(one.walBytes)),
    String(rounded(one.walRecords)),
    String(rounded(one.pageImageBytes)),
    String(rounded(one.databaseCpuUs)),
  ])
  const pageRow = (name: string, { tookMs, databaseCpuMs, serverCpuMs }: MeasuredPages): readonly string[] => [
    name,
    String(rounded(quantile(tookMs, 0.5))),
    String(rounded(Math.max(...tookMs))),
    String(rounded(databaseCpuMs)),
    String(rounded(serverCpuMs)),
  ]
  return [
    `${given.tasks} tasks, ${given.changes} changes of each kind, each of another task, over HTTP one after another. WAL without images of whole pages, which follow a`,
    'checkpoint; they have a column of their own.',
    '',
    ...table(['a PATCH of', 'HOT', 'WAL, bytes', 'WAL records', 'page images, bytes', 'PostgreSQL CPU, µs'], each),
    '',
    ...table(
      ['page of 1,000 by sys_updated_at, sys_id', 'p50, ms', 'longest, ms', 'PostgreSQL CPU, ms', 'server CPU, ms'],
      [pageRow('ascending', pages.ascending), pageRow('descending', pages.descending)],
    ),
  ]
}
