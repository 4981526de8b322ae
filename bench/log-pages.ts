/**
 * npm run bench:log-pages: what a page of sys_history costs, in CPU of the PostgreSQL process that runs it: as it is served, to an
 * administrator and to a user who may read a part of the tasks; and as a list of an ordinary table would be written, ordered by sys_id only
 * and with a full count.
 *
 *   --changes 300000  --rounds 5
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { openDatabase } from '../src/database/database.ts'
import { administratorId } from '../src/identity/administrator.ts'
import { loadPrincipal } from '../src/identity/load-principal.ts'
import type { Principal } from '../src/identity/principal.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { sql } from '../src/kernel/sql.ts'
import { createRecordDeps } from '../src/records/record-deps.ts'
import { respondAsText } from '../test/harness/respond-as-text.ts'
import { printSpread, spreadOf } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { seed } from './records/seed.ts'
import { startPostgres } from './records/servers.ts'

const { values: given } = parseArgs({
  options: { changes: { type: 'string', default: '300000' }, rounds: { type: 'string', default: '5' } },
})

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const bench = await (await startPostgres(started))('bench')
await seed(bench.database, { tasks: 2_000, users: 200, groups: 20 })
await bench.database.rows(sql`
  insert into docket_system.change (position, operation, table_id, record_id, changed_at, changed_by, changes, audited)
  select 500000100000000000 + n * 100000000::bigint, 'u', t.sys_db_table_id, t.sys_id::text, timestamp '2026-01-01' + n * interval '10 seconds',
    ${administratorId}::bigint, jsonb_build_object('state', array['1', '2'], 'priority', array['3', '4'], 'subject', array['a', 'b' || n]), true
  from generate_series(1, ${Number(given.changes)}::integer) n
    join (select row_number() over (order by sys_id) - 1 as place, sys_id, sys_db_table_id from docket.task) t on t.place = n % 2000`)
await bench.database.rows(sql`analyze docket_system.change`)
await bench.database.rows(sql`insert into docket.sys_role (name) values ('half')`)
await bench.database.rows(sql`
  insert into docket.sys_security_acl (operation, table_name, roles, condition)
  select 'read', v.t, array[(select sys_id::text from docket.sys_role where name = 'half')], v.c
  from (values ('task', 'priority<3'), ('sys_history', null)) as v (t, c)`)
const [rows] = await bench.database.rows<{ rows: string; seen: string }>(sql`
  select count(*)::text as rows, count(*) filter (where t.priority < '3')::text as seen
  from docket.sys_history h join docket.task t on t.sys_id::text = h.record_id`)

const database = openDatabase({
  connectionString: bench.connectionString,
  maxConnections: 1,
  statementTimeoutMs: 0,
})
started.defer(() => database.close())
const [backend] = await database.rows<{ id: number }>(sql`select pg_backend_pid() as id`)
const known = await loadPrincipal(database, administratorId)
if (known === undefined) throw new Error('there is no administrator')
const half: Principal = { ...known.principal, roles: new Set(['half']), roleKey: 'half' }
const deps = createRecordDeps({ database, clock: systemClock })

async function page(principal: Principal, parameters: Readonly<Record<string, string>>): Promise<void> {
  const { identityEpoch } = known ?? { identityEpoch: '' }
  const response = await respondAsText(deps, {
    ...{
      operation: 'list',
      table: 'sys_history',
      sysId: null,
      body: undefined,
      baseUrl: '',
      ifMatch: null,
      identityEpoch,
    },
    parameters: new Map(Object.entries({ sysparm_limit: '20', ...parameters })),
    principal,
  })
  if (!response.ok) throw new Error(JSON.stringify(response.error))
}

const newest = { sysparm_query: 'ORDERBYDESCsys_created_at' }
const uncounted = { ...newest, sysparm_no_count: '1' }
const cases: Readonly<Record<string, () => Promise<unknown>>> = {
  'as any other table: page by sys_id': () =>
    database.rows(
      sql`select h.sys_id, h.column_name, h.old_value, h.new_value from docket.sys_history h order by h.sys_id limit 21`,
    ),
  'as any other table: count': () => database.rows(sql`select count(*) from docket.sys_history`),
  'administrator, first page': () => page(known.principal, {}),
  'administrator, first page, not counted': () => page(known.principal, { sysparm_no_count: '1' }),
  'administrator, newest first, not counted': () => page(known.principal, uncounted),
  'who reads a part, newest first': () => page(half, newest),
  'who reads a part, newest first, not counted': () => page(half, uncounted),
}
const measured = []
for (const [name, work] of Object.entries(cases)) {
  const ms: number[] = []
  for (let round = 0; round <= Number(given.rounds); round += 1) {
    const before = cpuNs(backend?.id ?? 0)
    await work()
    if (round > 0) ms.push((cpuNs(backend?.id ?? 0) - before) / 1_000_000)
  }
  measured.push({ name, ms: spreadOf(ms) })
}
writeResults(
  'log-pages',
  { machine, postgres: bench.version, ...given, rowsOfHistory: rows?.rows, ofThemReadByHalf: rows?.seen, measured },
  table(
    ['20 rows of sys_history', `ms of PostgreSQL's CPU (${rows?.rows} rows)`],
    measured.map(({ name, ms }) => [name, printSpread(ms)]),
  ),
)

function cpuNs(processId: number): number {
  return Number(readFileSync(`/proc/${processId}/schedstat`, 'latin1').split(' ')[0])
}
