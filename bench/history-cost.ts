/**
 * npm run bench:history: what the change log costs a write, in CPU of the PostgreSQL process that runs it: the statements of the record
 * service, and the same without the part that records the change, alternating on one connection.
 *
 *   --tasks 5000  --rounds 10  --writes 300   how much
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Database, openDatabase, type PreparedStatement } from '../src/database/database.ts'
import { administratorId } from '../src/identity/administrator.ts'
import { loadPrincipal } from '../src/identity/load-principal.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { sql } from '../src/kernel/sql.ts'
import type { ReceivedRequest } from '../src/records/parse/parse-record-request.ts'
import { createRecordDeps } from '../src/records/record-deps.ts'
import { respondAsText } from '../test/harness/respond-as-text.ts'
import { printSpread, spreadOf } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { seed } from './records/seed.ts'
import { startPostgres } from './records/servers.ts'

const { values: given } = parseArgs({
  options: {
    tasks: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '10' },
    writes: { type: 'string', default: '300' },
  },
})

interface Write {
  readonly statement: PreparedStatement
  readonly values: readonly unknown[]
}

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const bench = await (await startPostgres(started))('bench')
const seeded = await seed(bench.database, { tasks: Number(given.tasks), users: 200, groups: 20 })
const database = openDatabase({
  connectionString: bench.connectionString,
  maxConnections: 1,
  statementTimeoutMs: 0,
})
started.defer(() => database.close())
const [backend] = await database.rows<{ id: number }>(sql`select pg_backend_pid() as id`)
const cases = {
  create: await written(
    Array.from({ length: 4 }, (_, n) => ({ operation: 'create' as const, sysId: null, body: newTask(n) })),
  ),
  'PATCH of three columns': await written(
    seeded.taskIds.slice(0, 500).map((sysId, n) => ({
      operation: 'patch' as const,
      sysId,
      body: {
        state: String(1 + (n % 5)),
        priority: String(1 + (n % 4)),
        short_description: `Changed by the bench ${n}`,
      },
    })),
  ),
}

const measured = []
for (const [name, writes] of Object.entries(cases)) {
  const kinds = { with: writes, without: writes.map(withoutNote) }
  const rounds: Record<keyof typeof kinds, number[]> = { with: [], without: [] }
  for (let round = 0; round <= Number(given.rounds); round += 1) {
    for (const kind of ['with', 'without'] as const) {
      const us = await run(database, kinds[kind])
      if (round > 0) rounds[kind].push(us)
    }
  }
  measured.push({ name, withUs: spreadOf(rounds.with), withoutUs: spreadOf(rounds.without) })
}
const lines = measured.map(({ name, withUs, withoutUs }) => [
  name,
  printSpread(withUs),
  printSpread(withoutUs),
  `${(withUs.median - withoutUs.median).toFixed(0)}`,
])
writeResults(
  'history-cost',
  { machine, postgres: bench.version, ...given, measured },
  table(['write', 'µs of PostgreSQL with the log', 'without', 'the log’s part'], lines),
)

/** CPU of the connection's process, in microseconds per statement; each statement is a separate transaction. */
async function run(on: Database, writes: readonly Write[]): Promise<number> {
  const count = Number(given.writes)
  const before = cpuNs(backend?.id ?? 0)
  for (let at = 0; at < count; at += 1) {
    const write = writes[at % writes.length]
    if (write !== undefined) await on.run(write.statement, write.values)
  }
  return (cpuNs(backend?.id ?? 0) - before) / 1_000 / count
}

function cpuNs(processId: number): number {
  return Number(readFileSync(`/proc/${processId}/schedstat`, 'latin1').split(' ')[0])
}

/** The record service's statements for these, captured when they are sent. */
async function written(
  requested: readonly Pick<ReceivedRequest, 'operation' | 'sysId' | 'body'>[],
): Promise<readonly Write[]> {
  const caught: Write[] = []
  const watched: Database = {
    ...bench.database,
    run: (statement, values) => {
      if (statement.text.includes('docket_system.change')) caught.push({ statement, values })
      return bench.database.run(statement, values)
    },
  }
  const deps = createRecordDeps({ database: watched, clock: systemClock })
  const known = await loadPrincipal(bench.database, administratorId)
  if (known === undefined) throw new Error('there is no administrator')
  const { principal, identityEpoch } = known
  const rest = { table: 'task', parameters: new Map(), principal, identityEpoch, baseUrl: '', ifMatch: null }
  for (const each of requested) {
    const response = await respondAsText(deps, { ...each, ...rest })
    if (!response.ok) throw new Error(JSON.stringify(response.error))
  }
  return caught
}

function newTask(n: number): unknown {
  return {
    subject: `Не открывается отчёт ${n}`,
    short_description: 'The monthly report shows an empty page since this morning',
    priority: '2',
    caller: seeded.userIds[n],
    assigned_user: seeded.userIds[n + 7],
  }
}

/** The statement without its part `noted as (…)`. */
function withoutNote({ statement, values }: Write): Write {
  const from = statement.text.indexOf(', noted as (')
  let depth = 0
  let to = statement.text.indexOf('(', from)
  do {
    depth += { '(': 1, ')': -1 }[statement.text[to] ?? ''] ?? 0
    to += 1
  } while (depth > 0)
  const text = statement.text.slice(0, from) + statement.text.slice(to)
  return { statement: { name: `${statement.name.slice(0, 40)}_bare`, text }, values }
}
