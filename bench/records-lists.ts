/**
 * npm run bench:records:lists: lists that people and programs request, as an administrator and with a row rule, with PostgreSQL's plan of
 * each. Requests are sent one after another.
 *
 *   --tasks 100000  --repeats 15  --url URL    of a database that an earlier run seeded (it stays); without it, one is created and removed
 *   --without WORDS    leaves out lists with these words in their names, such as 'no index', which take minutes at ten million tasks; may be repeated
 */
import { parseArgs } from 'node:util'
import { type Database, openDatabase } from '../src/database/database.ts'
import { administratorId } from '../src/identity/administrator.ts'
import { loadPrincipal } from '../src/identity/load-principal.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { sql } from '../src/kernel/sql.ts'
import { createRecordDeps } from '../src/records/record-deps.ts'
import { quantile, rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { type ListShape, listShapes } from './records/list-shapes.ts'
import { explain, parametersOf, statementOf } from './records/list-statement.ts'
import { keyFor, seed } from './records/seed.ts'
import { type BenchDatabase, startDocket, startPostgres } from './records/servers.ts'

const { values: given } = parseArgs({
  options: {
    tasks: { type: 'string', default: '100000' },
    repeats: { type: 'string', default: '15' },
    url: { type: 'string' },
    without: { type: 'string', multiple: true, default: [] },
  },
})

interface Caller {
  readonly name: 'administrator' | 'row rule'
  readonly userId: string
  readonly key: string
}

interface Measured {
  readonly shape: string
  readonly caller: Caller['name']
  readonly p50Ms: number
  readonly maxMs: number
  readonly total: string
  readonly plan: readonly string[]
}

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const target = given.url === undefined ? await makeDatabase() : await openSeeded(given.url)
const { database } = target
const [size] = await database.rows(sql<{ n: string }>`select count(*)::text as n from docket.task`)
const shapes = listShapes(await readValues()).filter(({ name }) => !given.without.some((words) => name.includes(words)))
const callers = await readCallers()
const deps = createRecordDeps({ database, clock: systemClock })
const catalog = await deps.catalog.current()
// Plans are those of a server that has run for a while.
await Promise.all(['task', 'user'].map(async (name) => deps.samples.ready(catalog.tables.get(name) ?? missing(name))))
// Statements without an index end by themselves, so that their time is known.
const docket = await startDocket(target, started, { DOCKET_STATEMENT_TIMEOUT_MS: '600000' })
const measured: Measured[] = []
for (const shape of shapes) {
  for (const caller of callers) {
    measured.push(await measure(shape, caller))
    const { p50Ms, total } = measured.at(-1) ?? { p50Ms: 0, total: '' }
    console.log(`${shape.name}, ${caller.name}: ${rounded(p50Ms)} ms (${total})`)
  }
}
writeResults(
  `records-lists-${size?.n}`,
  { machine, tasks: Number(size?.n), repeats: Number(given.repeats), measured },
  pageOf(),
)

function missing(name: string): never {
  throw new Error(`the dictionary has no table ${name}`)
}

async function makeDatabase(): Promise<BenchDatabase> {
  const made = await (await startPostgres(started))('lists')
  console.log(`Seeding ${given.tasks} tasks …`)
  await seed(made.database, { tasks: Number(given.tasks), users: 1_000, groups: 50 })
  return made
}

async function openSeeded(connectionString: string): Promise<BenchDatabase> {
  const seeded = openDatabase({ connectionString, maxConnections: 2, statementTimeoutMs: 0 })
  started.defer(() => seeded.close())
  return { database: seeded, connectionString, processId: 0, version: '' }
}

async function agentOf(seeded: Database): Promise<string> {
  const [agent] = await seeded.rows(sql<{ id: string }>`
    select sys_id::text as id from docket."user" where user_name = 'bench.1'`)
  if (agent === undefined) throw new Error('the database has no agent: seed it by a run without --url')
  return agent.id
}

async function readCallers(): Promise<readonly Caller[]> {
  const agentId = await agentOf(database)
  return [
    { name: 'administrator', userId: administratorId, key: await keyFor(database, administratorId) },
    { name: 'row rule', userId: agentId, key: await keyFor(database, agentId) },
  ]
}

async function readValues() {
  const [task] = await database.rows(sql<{ group: string; caller: string; number: string; updated: string }>`
    select assignment_group::text as group, caller::text as caller, number, to_char(sys_updated_at, 'YYYY-MM-DD HH24:MI:SS') as updated
    from docket.task order by sys_updated_at desc offset ${Math.floor(Number(size?.n) / 10)}::bigint limit 1`)
  if (task === undefined) throw new Error('the database has no tasks')
  const { group, caller, number, updated } = task
  return { agentId: await agentOf(database), groupId: group, callerId: caller, number, updatedAfter: updated }
}

async function measure(shape: ListShape, caller: Caller): Promise<Measured> {
  const url = `http://${docket.host}:${docket.port}/rest/v1/table/task?${new URLSearchParams(parametersOf(shape))}`
  const tookMs: number[] = []
  let total = ''
  // Slow requests are repeated less often.
  for (let spentMs = 0, at = 0; at < Number(given.repeats) && (at < 3 || spentMs < 20_000); at += 1) {
    const beganMs = performance.now()
    const response = await fetch(url, { headers: { authorization: `Bearer ${caller.key}` } })
    const body = await response.text()
    if (!response.ok) throw new Error(`${shape.name}: ${response.status} ${body.slice(0, 200)}`)
    spentMs += performance.now() - beganMs
    tookMs.push(performance.now() - beganMs)
    const over = response.headers.get('x-total-count-over')
    total = response.headers.get('x-total-count') ?? (over === null ? '–' : `over ${over}`)
  }
  const plan = await planOf(shape, caller)
  return {
    shape: shape.name,
    caller: caller.name,
    p50Ms: quantile(tookMs, 0.5),
    maxMs: Math.max(...tookMs),
    total,
    plan,
  }
}

/** The plan that PostgreSQL makes for these values. */
async function planOf(shape: ListShape, caller: Caller): Promise<readonly string[]> {
  const loaded = await loadPrincipal(database, caller.userId)
  if (loaded === undefined) throw new Error(`no user ${caller.userId}`)
  return explain(database, await statementOf(parametersOf(shape), loaded, { deps, catalog }), 'costs off')
}

function pageOf(): readonly string[] {
  const rows = shapes.map((shape) => {
    const of = (name: Caller['name']): string => {
      const found = measured.find((each) => each.shape === shape.name && each.caller === name)
      return `${rounded(found?.p50Ms ?? 0)} (${rounded(found?.maxMs ?? 0)})`
    }
    const total = measured.find((each) => each.shape === shape.name)?.total ?? ''
    return [shape.name, `\`${shape.query}\``, total, of('administrator'), of('row rule')]
  })
  return [
    `${size?.n} tasks. Each list is asked for ${given.repeats} times, one after another, over HTTP: median in milliseconds, and the longest. Pages of 20 rows with`,
    'two display values and the total, unless the shape says otherwise. The plans are in the JSON file.',
    '',
    ...table(['list', 'query', 'total', 'administrator', 'row rule'], rows),
  ]
}
