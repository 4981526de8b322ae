/**
 * npm run bench:record-cpu: the server's CPU of record requests, of this checkout, of others beside it, and of a bare server. They take
 * turns within each round, so that what else the machine does meets all of them alike.
 *
 *   --beside 1f325a6=../docket-1f325a6,main=../docket-main   names and folders of other checkouts
 *   --tasks 100000  --rounds 12  --seconds 1
 *   --cases 'point read,list of 20,create,PATCH'
 *   --results record-cpu   name of the files in bench/results
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { printSpread, rounded, spreadOf } from './measure/figures.ts'
import { type Contender, interleave, type Round } from './measure/interleave.ts'
import { httpText, type RequestToSend, startLoadGenerator } from './measure/load.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { type Checkout, caseOf, startCheckout } from './records/checkout.ts'
import { type BenchDatabase, poolSize, startBare, type Target } from './records/servers.ts'

const { values: given } = parseArgs({
  options: {
    beside: { type: 'string', default: '' },
    tasks: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '1' },
    cases: { type: 'string', default: 'point read,list of 20,create,PATCH' },
    results: { type: 'string', default: 'record-cpu' },
  },
})

const connections = 16
const size = { tasks: Number(given.tasks), users: 1_000, groups: 50 }

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const own = await start('this', resolve(import.meta.dirname, '..'))
const others: Checkout[] = []
for (const [name = '', folder = ''] of pairsOf(given.beside)) others.push(await start(name, resolve(folder)))
const bare = await startBareBeside(own)
const generator = startLoadGenerator()
started.defer(generator.stop)

const measured: { readonly name: string; readonly rounds: readonly (readonly Round[])[] }[] = []
for (const name of given.cases.split(',')) measured.push({ name, rounds: await measure(name) })
const names = [...others.map((each) => each.name), own.name, 'bare']
writeResults(given.results, { machine, size, connections, poolSize, names, measured }, pageOf())

function start(name: string, folder: string): Promise<Checkout> {
  return startCheckout({ name, folder, size }, started)
}

function pairsOf(text: string): readonly (readonly string[])[] {
  return text === '' ? [] : text.split(',').map((pair) => pair.split('='))
}

function startBareBeside({ database, docket, seeded }: Checkout): Promise<Target> {
  const { adminId, agentId, agentGroupIds, numberSequence } = seeded
  const linkBase = `http://${docket.host}:${docket.port}/rest/v1/table/`
  const { connectionString } = database
  return startBare(
    { connectionString, poolSize, linkBase, numberSequence, adminId, agentId, agentGroupIds, ticketTableId: '' },
    started,
  )
}

/** @returns rounds of the others, of this checkout, and of the bare server */
async function measure(name: string): Promise<readonly (readonly Round[])[]> {
  const contenders = [
    ...[...others, own].map((each) => contender(each.docket, caseOf(each, name).docket, each.database)),
    contender(bare, caseOf(own, name).bare, own.database),
  ]
  const [rounds, seconds] = [Number(given.rounds), Number(given.seconds)]
  const databaseProcessId = own.database.processId
  const measuring = { rounds, roundMs: seconds * 1_000, warmUpMs: 3_000, connections, generator, databaseProcessId }
  const found = await interleave(contenders, measuring)
  console.log(
    name,
    found.map((each) => rounded(spreadOf(each.map(({ serverCpuUs }) => serverCpuUs)).median)).join('  '),
  )
  return found
}

function contender(target: Target, requests: readonly RequestToSend[], { processId }: BenchDatabase): Contender {
  const texts = requests.map((request) => httpText(request, `${target.host}:${target.port}`))
  return { ...target, requests: texts, databaseProcessId: processId }
}

function pageOf(): readonly string[] {
  const heads = ['', 'server', 'server CPU, µs', 'as a multiple of the bare server', 'PostgreSQL CPU, µs', 'multiple']
  const rows = measured.flatMap(({ name, rounds }) => {
    const beside = rounds.at(-1) ?? []
    return rounds.map((each, at) => [name, names[at] ?? '', ...cellsOf(each, beside)])
  })
  return [
    'Medians of the rounds, with the least and the greatest. A ratio is taken within one round.',
    '',
    ...table(heads, rows),
  ]
}

function cellsOf(rounds: readonly Round[], beside: readonly Round[]): readonly string[] {
  return (['serverCpuUs', 'databaseCpuUs'] as const).flatMap((figure) => [
    printSpread(spreadOf(rounds.map((round) => round[figure]))),
    printSpread(spreadOf(rounds.map((round, at) => round[figure] / (beside[at] ?? round)[figure]))),
  ])
}
