/**
 * npm run bench:records:growth: a page without count on 10,000 tasks and on 1,000,000, by page number and by cursor at several depths. Both
 * databases are in one PostgreSQL, with a Docket for each, and the rounds of all alternate.
 *
 *   --small 10000  --large 1000000  --rounds 5  --seconds 2
 */
import { parseArgs } from 'node:util'
import type { Database } from '../src/database/database.ts'
import { sql } from '../src/kernel/sql.ts'
import { printSpread, rounded, type Spread, spreadOf } from './measure/figures.ts'
import { interleave, type Round } from './measure/interleave.ts'
import { httpText, startLoadGenerator } from './measure/load.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { seed } from './records/seed.ts'
import { startDocket, startPostgres } from './records/servers.ts'

const { values: given } = parseArgs({
  options: {
    small: { type: 'string', default: '10000' },
    large: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
  },
})

const rowsOfPage = 20
const connections = 16

const list = {
  sysparm_query: 'active=true^ORDERBYDESCsys_created_at',
  sysparm_fields: 'number,subject,state,sys_created_at,assigned_user,assignment_group',
  sysparm_display_value: '1',
  sysparm_limit: String(rowsOfPage),
  sysparm_no_count: '1',
}

/** One place in one database; `page` counts from 1. */
interface Place {
  readonly tasks: number
  readonly page: number
  readonly by: 'page' | 'cursor'
}

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const make = await startPostgres(started)
const generator = startLoadGenerator()
started.defer(generator.stop)

const small = await prepare(Number(given.small))
const large = await prepare(Number(given.large))
const places = [
  await small.at(1, 'page'),
  await small.at(1, 'cursor'),
  await small.at(200, 'cursor'),
  await large.at(1, 'page'),
  await large.at(1, 'cursor'),
  await large.at(1_000, 'cursor'),
  await large.at(20_000, 'cursor'),
]
const rounds = await interleave(places, {
  rounds: Number(given.rounds),
  roundMs: Number(given.seconds) * 1_000,
  warmUpMs: 1_500,
  connections,
  generator,
  databaseProcessId: small.databaseProcessId,
})
const measured = places.map(({ place }, at) => ({ place, rounds: rounds[at] ?? [] }))
writeResults('records-growth', { machine, postgres: small.version, connections, measured }, pageOf())

async function prepare(tasks: number) {
  const database = await make(`tasks_${tasks}`)
  console.log(`Seeding ${tasks} tasks …`)
  const { adminKey } = await seed(database.database, { tasks, users: 1_000, groups: 50 })
  const docket = await startDocket(database, started)
  const host = `${docket.host}:${docket.port}`
  const headers = { authorization: `Bearer ${adminKey}` }
  return {
    version: database.version,
    databaseProcessId: database.processId,
    async at(page: number, by: Place['by']) {
      const query = { ...list, ...(by === 'cursor' && { sysparm_cursor: await cursorBefore(database.database, page) }) }
      const path = `/rest/v1/table/task?${new URLSearchParams(query)}`
      const place: Place = { tasks, page, by }
      return { ...docket, place, requests: [httpText({ method: 'GET', path, headers }, host)] }
    },
  }
}

/** The cursor that the response of the page before would contain. */
async function cursorBefore(database: Database, page: number): Promise<string> {
  if (page === 1) return '*'
  const offset = (page - 1) * rowsOfPage - 1
  const [row] = await database.rows<{ at: string; id: string }>(sql`
    select sys_created_at::text as at, sys_id::text as id from docket.task where active
    order by sys_created_at desc, sys_id desc offset ${offset}::bigint limit 1`)
  if (row === undefined) throw new Error(`there is no page ${page}`)
  return Buffer.from(JSON.stringify([row.at, row.id])).toString('base64url')
}

function pageOf(): readonly string[] {
  const first = rounds[0] ?? []
  const ratio = (each: readonly Round[], figure: (round: Round) => number): Spread =>
    spreadOf(each.map((round, at) => figure(round) / figure(first[at] ?? round)))
  return [
    'A page of 20 tasks without count (filter on one column, order by time, two references with display values).',
    `Medians over the rounds, with the least and the greatest; ratios to the first page of ${given.small} tasks by page number.`,
    '',
    ...table(
      ['tasks', 'page', 'p50, ms', 'p99, ms', 'PostgreSQL CPU, µs', 'requests/s', 'p50 ratio', 'CPU ratio'],
      measured.map(({ place, rounds: each }) => [
        String(place.tasks),
        `${place.page}, by ${place.by === 'page' ? 'number' : 'cursor'}`,
        printSpread(spreadOf(each.map((round) => round.p50Ms))),
        printSpread(spreadOf(each.map((round) => round.p99Ms))),
        String(rounded(spreadOf(each.map((round) => round.databaseCpuUs)).median)),
        String(rounded(spreadOf(each.map((round) => round.requestsPerSecond)).median)),
        printSpread(ratio(each, (round) => round.p50Ms)),
        printSpread(ratio(each, (round) => round.databaseCpuUs)),
      ]),
    ),
  ]
}
