/**
 * npm run bench:slow-shapes: ten lists that no index serves, the index that `docket records slow` names for each, and what the list takes with it.
 *
 *   --rows 1000000  --repeats 9
 *
 * Requests are sent one after another, over HTTP, as administrator, for 20 rows without a total.
 */
import { parseArgs } from 'node:util'
import { catalogSource } from '../src/catalog/catalog-source.ts'
import { administratorId } from '../src/identity/administrator.ts'
import { sql } from '../src/kernel/sql.ts'
import { listSlowRequests } from '../src/records/slow/list-slow-requests.ts'
import { sendTo } from '../test/harness/send-request.ts'
import { quantile, rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { keyFor } from './records/seed.ts'
import { startDocket, startPostgres } from './records/servers.ts'

const { values: given } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, repeats: { type: 'string', default: '9' } },
})
const [rows, repeats] = [Number(given.rows), Number(given.repeats)]
const pollMs = 200
/** Shapes are written every ten seconds. */
const storedWithinMs = 60_000
/** A list without an index is repeated less often. */
const repeatsWithout = 2

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const { database, ...server } = await (await startPostgres(started))('slow_shapes')
const target = await startDocket({ database, ...server }, started, {
  DOCKET_SLOW_REQUEST_MS: '1',
  DOCKET_STATEMENT_TIMEOUT_MS: '600000',
})
const key = await keyFor(database, administratorId)
const client = sendTo(`http://${target.host}:${target.port}`)
started.defer(async () => client.close())
const catalog = catalogSource(database)
await makeTable()
await fillTable()

const queries = [
  'codeLIKE0cc175b9c0',
  'noteLIKE0cc175b9c0',
  'noteLIKEщъёж',
  'place=place 17',
  'ORDERBYlevel',
  'ORDERBYDESCplace',
  'level=3^ORDERBYDESCdue',
  'dueBETWEEN2026-01-02 00:00:00@2026-01-02 00:30:00',
  'customer.email=person7@example.com',
  'ORDERBYcustomer.email',
  'done=true^amount=3',
]

const without: number[] = []
for (const query of queries) without.push(await medianMs(query, repeatsWithout))
const proposed = await untilStored()
for (const body of new Set(proposed.map(({ body }) => body))) await create('sys_db_index', JSON.parse(body))
await untilBuilt()
await database.rows(sql`analyze docket.repair`)
const measured = []
for (const [at, query] of queries.entries()) {
  const index = proposed[at]?.title ?? ''
  measured.push({ query, index, withoutMs: without[at] ?? 0, withMs: await medianMs(query, repeats) })
}
writeResults('slow-shapes', { machine, postgres: server.version, rows, repeats, measured }, [
  `${rows} rows. Each list is requested ${repeatsWithout} times without its index and ${repeats} times with it: median in milliseconds.`,
  '',
  ...table(
    ['list', 'index that `docket records slow` names', 'without it', 'with it'],
    measured.map(({ query, index, withoutMs, withMs }) => [
      `\`${query}\``,
      index,
      String(rounded(withoutMs)),
      String(rounded(withMs)),
    ]),
  ),
])

async function makeTable(): Promise<void> {
  const idOf = async (name: 'sys_db_table' | 'sys_db_column_type', value: string): Promise<string | undefined> => {
    const [row] = await database.rows<{ id: string }>(
      sql`select sys_id::text as id from ${sql.id('docket')}.${sql.id(name)} where name = ${value}`,
    )
    return row?.id
  }
  await create('sys_db_table', { name: 'repair', title: 'Repairs' })
  const columns = {
    ...{ code: 'string', place: 'string', note: 'text', level: 'integer', amount: 'decimal', due: 'datetime' },
    ...{ done: 'boolean', customer: 'reference' },
  }
  for (const [name, type] of Object.entries(columns))
    await create('sys_db_column', {
      ...{ table_id: await idOf('sys_db_table', 'repair'), column_name: name, title: name },
      column_type_id: await idOf('sys_db_column_type', type),
      ...(type === 'reference' ? { reference_id: await idOf('sys_db_table', 'user') } : {}),
    })
}

async function fillTable(): Promise<void> {
  await database.rows(sql`insert into docket."user" (user_name, display_name, email)
    select 'slow.' || n, 'Person ' || n, 'person' || n || '@example.com' from generate_series(1, 500) n`)
  await database.rows(sql`
    with u as (select array_agg(sys_id order by sys_id) as ids from docket."user" where user_name like 'slow.%')
    insert into docket.repair (code, place, note, level, amount, due, done, customer)
    select 'CODE' || md5(n::text), 'place ' || n % 90000,
      'Принтер ' || n || ' печатает бледно, the tray is empty. ' || md5(n::text) || ' ' || md5('note' || n), n % 700, n / 7.0,
      timestamp '2026-01-01' + make_interval(mins => n * 7 % ${rows}::integer), n % 2 = 0, u.ids[1 + n % 500]
    from generate_series(1, ${rows}::integer) n, u`)
  await database.rows(sql`vacuum analyze docket.repair`)
}

async function create(name: string, body: object): Promise<void> {
  const response = await client.send('POST', `/rest/v1/table/${name}`, { as: { bearer: key }, body })
  if (response.status !== 200) throw new Error(response.text)
}

async function medianMs(query: string, times: number): Promise<number> {
  const parameters = new URLSearchParams({
    ...{ sysparm_query: query, sysparm_fields: 'code', sysparm_limit: '20', sysparm_no_count: '1' },
  })
  const tookMs: number[] = []
  for (let at = 0; at < times; at++) {
    const beganMs = performance.now()
    const response = await client.send('GET', `/rest/v1/table/repair?${parameters}`, { as: { bearer: key } })
    if (response.status !== 200) throw new Error(response.text)
    tookMs.push(performance.now() - beganMs)
  }
  return quantile(tookMs, 0.5)
}

interface NamedIndex {
  readonly title: string
  /** Of the request that creates it. */
  readonly body: string
}

/** The first index of each shape, in the order of the queries, as the command says to create it. */
async function untilStored(): Promise<readonly NamedIndex[]> {
  for (const untilMs = performance.now() + storedWithinMs; ; ) {
    const found = await listSlowRequests(database, await catalog.upToDate(), { table: 'repair', limit: 100 })
    const named = queries.map((query): readonly NamedIndex[] => {
      const [index] = found.find(({ shape }) => shape === shapeOf(query))?.indexes ?? []
      const body = /--json '(.*)'$/.exec(index?.statement ?? '')?.[1]
      if (index === undefined || body === undefined) return []
      return [{ title: `${index.purpose}: ${index.table} (${index.column_names.join(', ')})`, body }]
    })
    if (named.every((each) => each.length > 0)) return named.flat()
    if (performance.now() > untilMs)
      throw new Error(`no index is named for ${queries.filter((_, at) => named[at]?.length === 0).join('; ')}`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

function shapeOf(query: string): string {
  return query.replace(/(LIKE|=|BETWEEN)[^^]+/g, '$1?')
}

async function untilBuilt(): Promise<void> {
  for (;;) {
    const [left] = await database.rows<{ count: string }>(
      sql`select count(*)::text as count from docket.sys_db_index where state not in ('ready', 'failed')`,
    )
    if (left?.count === '0') return
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}
