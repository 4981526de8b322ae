/**
 * npm run bench:records: the cost of the record service compared with a bare Node server that sends hand-written SQL through the same
 * driver (bare-server.ts).
 *
 *   --tasks 100000  --rounds 5  --seconds 3   how much
 *   --adopted 100000                          rows of the adopted table; 0: none
 *   --cases 'point read,create'               only these
 *   --memory                                  instead: the memory of the server during 1,000,000 mixed requests
 */
import { parseArgs } from 'node:util'
import { interleave } from './measure/interleave.ts'
import { httpText, type RequestToSend, startLoadGenerator } from './measure/load.ts'
import { describeMachine } from './measure/machine.ts'
import { usageOf } from './measure/process-usage.ts'
import { writeResults } from './measure/results.ts'
import { adoptedCases, seedAdopted } from './records/adopted.ts'
import { type Case, recordCases } from './records/cases.ts'
import { watchMemory } from './records/memory.ts'
import { compare, type MeasuredCase, pageOf } from './records/report.ts'
import { throwOnDifferentResponses } from './records/same-responses.ts'
import { type Seeded, seed } from './records/seed.ts'
import { poolSize, startBare, startDocket, startPostgres, type Target } from './records/servers.ts'

const { values: given } = parseArgs({
  options: {
    tasks: { type: 'string', default: '100000' },
    adopted: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    cases: { type: 'string' },
    memory: { type: 'boolean', default: false },
  },
})

const connections = 16
const size = { tasks: Number(given.tasks), users: 1_000, groups: 50, adopted: Number(given.adopted) }

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const database = await (await startPostgres(started))('bench')
console.log(`Seeding ${size.tasks} tasks into PostgreSQL ${database.version} …`)
const seeded = await seed(database.database, size)
const { ticketIds, tableId: ticketTableId } =
  size.adopted > 0 ? await seedAdopted(database.database, size.adopted) : { ticketIds: [], tableId: '' }
const docket = await startDocket(database, started)
const generator = startLoadGenerator()
started.defer(generator.stop)
const wanted = given.cases?.split(',')
const adopted = ticketIds.length > 0 ? adoptedCases(seeded.adminKey, ticketIds) : []
const cases = [...recordCases(seeded), ...adopted].filter(({ name }) => wanted?.includes(name) ?? true)

if (given.memory) {
  // A count of a third of the tasks costs PostgreSQL 40 ms, and this process nothing that the list without it does not.
  const light = cases.filter(({ name }) => !name.includes('with count'))
  const watched = await watchMemory(light, { docket, generator, connections })
  writeResults('records-memory', { machine, size, connections, ...watched }, watched.page)
} else {
  await measureCases(await startBareBeside(docket, seeded))
}

function startBareBeside({ host, port }: Target, { adminId, agentId, agentGroupIds, numberSequence }: Seeded) {
  const linkBase = `http://${host}:${port}/rest/v1/table/`
  const { connectionString } = database
  const people = { adminId, agentId, agentGroupIds, ticketTableId }
  return startBare({ connectionString, poolSize, linkBase, numberSequence, ...people }, started)
}

async function measureCases(bare: Target): Promise<void> {
  const measured: MeasuredCase[] = []
  for (const each of cases) {
    await throwOnDifferentResponses(each, docket, bare)
    const one = await measureCase(each, bare)
    measured.push(one)
    console.log(compare(one))
  }
  const memory = {
    docketBytes: usageOf(docket.processId).memoryBytes,
    bareBytes: usageOf(bare.processId).memoryBytes,
    databaseBytes: usageOf(database.processId).memoryBytes,
  }
  const measure = { rounds: Number(given.rounds), roundSeconds: Number(given.seconds), connections, poolSize, size }
  writeResults(
    'records',
    { machine, postgres: database.version, ...measure, measured, memory },
    pageOf(measured, memory),
  )
}

async function measureCase(each: Case, bare: Target): Promise<MeasuredCase> {
  const contender = (target: Target, requests: readonly RequestToSend[]) => ({
    ...target,
    requests: requests.map((request) => httpText(request, `${target.host}:${target.port}`)),
  })
  const [docketRounds = [], bareRounds = []] = await interleave(
    [contender(docket, each.docket), contender(bare, each.bare)],
    {
      rounds: Number(given.rounds),
      roundMs: Number(given.seconds) * 1_000,
      warmUpMs: 2_000,
      connections,
      generator,
      databaseProcessId: database.processId,
    },
  )
  return { name: each.name, aim: each.aim, docket: docketRounds, bare: bareRounds }
}
