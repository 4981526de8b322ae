/**
 * npm run bench:servicenow: what a request costs through /api/now, as a multiple of the same request through /rest/v1, on one server.
 *
 *   --tasks 20000  --rounds 5  --seconds 2
 */
import { parseArgs } from 'node:util'
import { OWN_KEY } from '../src/column-types/record-key.ts'
import { printServedId } from '../src/column-types/served-id.ts'
import { sql } from '../src/kernel/sql.ts'
import { printSpread, rounded, spreadOf } from './measure/figures.ts'
import { interleave, type Round } from './measure/interleave.ts'
import { httpText, type RequestToSend, startLoadGenerator } from './measure/load.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { type Seeded, seed } from './records/seed.ts'
import { startDocket, startPostgres } from './records/servers.ts'

const { values: given } = parseArgs({
  options: {
    tasks: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
  },
})

/** The same request for both APIs. */
interface Pair {
  readonly name: string
  readonly native: readonly RequestToSend[]
  readonly now: readonly RequestToSend[]
}

interface MeasuredPair {
  readonly name: string
  readonly native: readonly Round[]
  readonly now: readonly Round[]
}

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const database = await (await startPostgres(started))('servicenow')
const seeded = await seed(database.database, { tasks: Number(given.tasks), users: 1_000, groups: 50 })
const [served] = await database.database.rows(sql<{ prefix: string }>`select prefix from docket_system.served_id`)
const docket = await startDocket(database, started)
const generator = startLoadGenerator()
started.defer(generator.stop)
const measured: MeasuredPair[] = []
for (const pair of pairsOf(seeded, (id) => printServedId(id, OWN_KEY, served?.prefix ?? ''))) {
  measured.push(await measure(pair))
  console.log(rowOf(measured.at(-1) as MeasuredPair).join('  '))
}
const HEADS = ['', 'CPU of /rest/v1, µs', 'CPU of /api/now, µs', 'ratio of CPU', 'ratio of bytes']
writeResults('servicenow', { machine, tasks: Number(given.tasks), measured }, table(HEADS, measured.map(rowOf)))

function pairsOf({ adminKey, taskIds }: Seeded, idOf: (sysId: string) => string): readonly Pair[] {
  const headers = { authorization: `Bearer ${adminKey}` }
  const get = (path: string): RequestToSend => ({ method: 'GET', path, headers })
  const query = (text: string, more: object): string =>
    String(new URLSearchParams({ sysparm_query: text, sysparm_limit: '20', sysparm_no_count: '1', ...more }))
  const native = 'active=true^ORDERBYDESCsys_created_at'
  const now = 'active=true^ORDERBYDESCsys_created_on'
  const nativeFields = { sysparm_fields: 'sys_id,number,subject,state,sys_created_at,assigned_user,assignment_group' }
  const nowFields = {
    sysparm_fields: 'sys_id,number,short_description,state,sys_created_on,assigned_to,assignment_group',
  }
  const displayed = { sysparm_display_value: 'true' }
  return [
    {
      name: 'list, all columns',
      native: [get(`/rest/v1/table/task?${query(native, {})}`)],
      now: [get(`/api/now/table/task?${query(now, {})}`)],
    },
    {
      name: 'list, seven columns',
      native: [get(`/rest/v1/table/task?${query(native, nativeFields)}`)],
      now: [get(`/api/now/table/task?${query(now, nowFields)}`)],
    },
    {
      name: 'list, display values',
      native: [get(`/rest/v1/table/task?${query(native, { ...nativeFields, ...displayed })}`)],
      now: [get(`/api/now/table/task?${query(now, { ...nowFields, ...displayed })}`)],
    },
    {
      name: 'point read',
      native: taskIds.map((id) => get(`/rest/v1/table/task/${id}`)),
      now: taskIds.map((id) => get(`/api/now/table/task/${idOf(id)}`)),
    },
    {
      name: 'create',
      native: [{ method: 'POST', path: '/rest/v1/table/task', headers, body: JSON.stringify({ subject: 'made' }) }],
      now: [
        { method: 'POST', path: '/api/now/table/task', headers, body: JSON.stringify({ short_description: 'made' }) },
      ],
    },
    {
      name: 'PATCH',
      native: taskIds.map((id) => ({
        method: 'PATCH',
        path: `/rest/v1/table/task/${id}`,
        headers,
        body: JSON.stringify({ subject: id }),
      })),
      now: taskIds.map((id) => ({
        method: 'PATCH',
        path: `/api/now/table/task/${idOf(id)}`,
        headers,
        body: JSON.stringify({ short_description: id }),
      })),
    },
  ]
}

async function measure({ name, native, now }: Pair): Promise<MeasuredPair> {
  const contender = (requests: readonly RequestToSend[]) => ({
    ...docket,
    requests: requests.map((request) => httpText(request, `${docket.host}:${docket.port}`)),
  })
  const [nativeRounds = [], nowRounds = []] = await interleave([contender(native), contender(now)], {
    rounds: Number(given.rounds),
    roundMs: Number(given.seconds) * 1_000,
    warmUpMs: 1_000,
    connections: 8,
    generator,
    databaseProcessId: database.processId,
  })
  return { name, native: nativeRounds, now: nowRounds }
}

function rowOf({ name, native, now }: MeasuredPair): readonly string[] {
  const cpu = ({ serverCpuUs, databaseCpuUs }: Round): number => serverCpuUs + databaseCpuUs
  const ratio = (figure: (round: Round) => number): string =>
    printSpread(spreadOf(now.map((round, at) => figure(round) / figure(native[at] ?? round))))
  const median = (rounds: readonly Round[]): string => String(rounded(spreadOf(rounds.map(cpu)).median))
  return [name, median(native), median(now), ratio(cpu), ratio(({ bytesPerResponse }) => bytesPerResponse)]
}
