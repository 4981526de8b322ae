/**
 * npm run bench:gate: what the gate for running statements costs a record request. The record service runs in this process, alternately
 * with and without the gate, without HTTP, so that the share of the gate is as large as possible.
 *
 *   --tasks 20000  --rounds 10  --requests 4000   how much
 */
import { parseArgs } from 'node:util'
import { openDatabase } from '../src/database/database.ts'
import { gateLimitsFor, statementGate } from '../src/http/request/statement-gate.ts'
import { administratorId } from '../src/identity/administrator.ts'
import { loadPrincipal } from '../src/identity/load-principal.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { createRecordDeps } from '../src/records/record-deps.ts'
import { respondAsText, type TextRequest } from '../test/harness/respond-as-text.ts'
import { printSpread, spreadOf } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { seed } from './records/seed.ts'
import { poolSize, startPostgres } from './records/servers.ts'

const { values: given } = parseArgs({
  options: {
    tasks: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '10' },
    requests: { type: 'string', default: '4000' },
  },
})

/** Requests that are sent at once, as by the connections of bench:records. */
const atOnce = 16

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const bench = await (await startPostgres(started))('bench')
const seeded = await seed(bench.database, { tasks: Number(given.tasks), users: 1_000, groups: 50 })
const database = openDatabase({
  connectionString: bench.connectionString,
  maxConnections: poolSize,
  statementTimeoutMs: 0,
})
started.defer(() => database.close())
const deps = createRecordDeps({ database, clock: systemClock })
const known = await loadPrincipal(bench.database, administratorId)
if (known === undefined) throw new Error('there is no administrator')
const { principal, identityEpoch } = known
const requested = { table: 'task', body: undefined, principal, identityEpoch, baseUrl: '', ifMatch: null } as const

const listOf20 = new Map([
  ['sysparm_query', 'active=true^ORDERBYDESCsys_created_at'],
  ['sysparm_fields', 'number,subject,state,sys_created_at,assigned_user,assignment_group'],
  ['sysparm_display_value', '1'],
  ['sysparm_limit', '20'],
  ['sysparm_no_count', '1'],
])
const cases: Readonly<Record<string, readonly TextRequest[]>> = {
  'point read': seeded.taskIds.map((sysId) => ({ ...requested, operation: 'read', sysId, parameters: new Map() })),
  'list of 20': [{ ...requested, operation: 'list', sysId: null, parameters: listOf20 }],
}

const gate = statementGate(gateLimitsFor(poolSize, 0))
const response = (each: TextRequest) => respondAsText(deps, each)
const kinds = {
  with: (each: TextRequest, userId: string) => gate.run(userId, () => response(each)),
  without: response,
} as const
type Kind = keyof typeof kinds

interface Round {
  readonly perSecond: number
  /** CPU of this process. */
  readonly cpuUs: number
}

const measured = []
for (const [name, requests] of Object.entries(cases)) {
  for (const users of [1, 4]) {
    const rounds: Record<Kind, Round[]> = { with: [], without: [] }
    for (let round = 0; round <= Number(given.rounds); round += 1) {
      // The first round warms up. The order changes, because a round may be affected by the one before.
      for (const kind of round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)) {
        const one = await run(kind, requests, users)
        if (round > 0) rounds[kind].push(one)
      }
    }
    const ratios = (of: (round: Round) => number) =>
      spreadOf(rounds.with.map((one, n) => of(one) / of(rounds.without[n] ?? one)))
    measured.push({
      name,
      users,
      withPerSecond: spreadOf(rounds.with.map(({ perSecond }) => perSecond)),
      withoutPerSecond: spreadOf(rounds.without.map(({ perSecond }) => perSecond)),
      throughput: ratios(({ perSecond }) => perSecond),
      cpu: ratios(({ cpuUs }) => cpuUs),
    })
  }
}
const lines = measured.map(({ name, users, withPerSecond, withoutPerSecond, throughput, cpu }) => [
  `${name}, ${users === 1 ? '1 user' : `${users} users`}`,
  withPerSecond.median.toFixed(0),
  withoutPerSecond.median.toFixed(0),
  printSpread(throughput),
  printSpread(cpu),
])
const heads = ['request', 'requests/s with the gate', 'without', 'throughput with : without', 'CPU with : without']
const options = { ...given, atOnce, poolSize }
writeResults('statement-gate', { machine, postgres: bench.version, ...options, measured }, table(heads, lines))

/** Sends requests of some users in turn, `atOnce` at a time. */
async function run(kind: Kind, requests: readonly TextRequest[], users: number): Promise<Round> {
  const count = Number(given.requests)
  let next = 0
  const send = async (): Promise<void> => {
    while (next < count) {
      const at = next++
      const each = requests[at % requests.length]
      if (each === undefined) throw new Error('there is no request')
      const responded = await kinds[kind](each, `user ${at % users}`)
      if (!responded.ok) throw new Error(JSON.stringify(responded.error))
    }
  }
  const [cpu, began] = [process.cpuUsage(), performance.now()]
  await Promise.all(Array.from({ length: atOnce }, send))
  const { user, system } = process.cpuUsage(cpu)
  return { perSecond: count / ((performance.now() - began) / 1_000), cpuUs: (user + system) / count }
}
