import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadPrincipal } from '../../src/identity/load-principal.ts'
import { sql } from '../../src/kernel/sql.ts'
import { parseRecordRequest } from '../../src/records/parse/parse-record-request.ts'
import { createRecordDeps, type RecordDeps } from '../../src/records/record-deps.ts'
import { runRecordRequest } from '../../src/records/run-record-request.ts'
import { clearSlowRequests, listSlowRequests, type SlowRequest } from '../../src/records/slow/list-slow-requests.ts'
import { storeSlowRequests } from '../../src/records/slow/store-slow-requests.ts'
import { type DictionaryDesk, openDesk } from '../contract/dictionary/dictionary-desk.ts'
import { explainList } from '../harness/explain-list.ts'
import { runCommand } from '../harness/run-command.ts'

const ADMIN = '155931135900000001'
const ROWS = 6_000
const now = new Date('2026-03-01T10:00:00Z')

let desk: DictionaryDesk
let deps: RecordDeps
beforeAll(async () => {
  desk = await openDesk()
  const { database } = desk.docket
  await desk.table('repair')
  const columns = {
    code: 'string',
    place: 'string',
    note: 'text',
    level: 'integer',
    amount: 'decimal',
    due: 'datetime',
  }
  for (const [name, type] of Object.entries(columns)) await desk.column('repair', name, type)
  await desk.column('repair', 'done', 'boolean')
  await desk.column('repair', 'customer', 'reference', { reference_id: await desk.tableId('user') })
  await database.rows(sql`insert into docket."user" (user_name, display_name, email)
    select 'slow.' || n, 'Person ' || n, 'person' || n || '@example.com' from generate_series(1, 500) n`)
  await database.rows(sql`
    with u as (select array_agg(sys_id order by sys_id) as ids from docket."user" where user_name like 'slow.%')
    insert into docket.repair (code, place, note, level, amount, due, done, customer)
    select 'CODE' || md5(n::text), 'place ' || n % 900, 'note ' || md5(n::text), n % 700, n / 7.0,
      timestamp '2026-01-01' + make_interval(mins => n * 7 % ${ROWS}::integer), n % 2 = 0, u.ids[1 + n % 500]
    from generate_series(1, ${ROWS}::integer) n, u`)
  await database.rows(sql`analyze docket.repair`)
  await database.rows(sql`analyze docket."user"`)
  deps = createRecordDeps({ database, clock: { nowMs: () => now.getTime() }, slowMs: 0 })
})
afterAll(() => desk.close())

/** Like a request of the administrator, in a process whose slow requests are not stored yet. */
async function list(
  query: string,
  more: Readonly<Record<string, string>> = {},
  [table, fields] = ['repair', 'code'],
): Promise<void> {
  const parsed = parseRecordRequest({
    operation: 'list',
    table,
    sysId: null,
    parameters: new Map(
      Object.entries({ sysparm_query: query, sysparm_fields: fields, sysparm_no_count: '1', ...more }),
    ),
    body: undefined,
    ifMatch: null,
    idempotencyKey: null,
  })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  const loaded = await loadPrincipal(desk.docket.database, ADMIN)
  if (loaded === undefined) throw new Error('no administrator')
  const sent = await runRecordRequest(deps, { request: parsed.value.request, ...loaded, baseUrl: '' })
  if (!sent.ok) throw new Error(JSON.stringify(sent.error))
  await deps.slow.idle()
}

async function stored(table = 'repair'): Promise<readonly SlowRequest[]> {
  const { database } = desk.docket
  await storeSlowRequests(database, deps.slow.take(), now)
  return listSlowRequests(database, await deps.catalog.upToDate(), { table, limit: 100 })
}

const SHAPES: readonly (readonly [query: string, shape: string, index: string])[] = [
  ['codeLIKE0cc175b9c0', 'codeLIKE?', 'contains repair code'],
  ['noteLIKE0cc175b9c0', 'noteLIKE?', 'contains repair note'],
  ['place=place 17', 'place=?', 'conditions repair place'],
  ['ORDERBYlevel', 'ORDERBYlevel', 'order repair level'],
  ['ORDERBYDESCplace', 'ORDERBYDESCplace', 'order repair place'],
  ['level=3^ORDERBYDESCdue', 'level=?^ORDERBYDESCdue', 'conditions repair level,due'],
  ['dueBETWEEN2026-01-02 00:00:00@2026-01-02 00:30:00', 'dueBETWEEN?', 'conditions repair due'],
  ['customer.email=person7@example.com', 'customer.email=?', 'conditions user email'],
  ['ORDERBYcustomer.email', 'ORDERBYcustomer.email', 'order user email'],
  ['done=true^amount=3', 'done=?^amount=?', 'conditions repair amount,done'],
]

const nameOf = ({ purpose, table, column_names: columns }: SlowRequest['indexes'][number]): string =>
  `${purpose} ${table} ${columns.join()}`

test('slow requests are stored by shape, and of ten shapes each names the index that PostgreSQL then uses (issue 12, 4)', async () => {
  const { database } = desk.docket
  for (const [query] of SHAPES) await list(query)
  const found = await stored()
  const byShape = new Map(found.map((each) => [each.shape, each]))
  expect(
    SHAPES.map(([query, shape]) => [query, shape, byShape.get(shape)?.indexes.slice(0, 1).map(nameOf).join()]),
  ).toEqual(SHAPES)
  const used: string[] = []
  for (const [query, shape] of SHAPES) {
    const [index] = byShape.get(shape)?.indexes ?? []
    const body = JSON.parse(/--json '(.*)'$/.exec(index?.statement ?? '')?.[1] ?? '{}')
    const id = await desk.record('sys_db_index', body)
    await database.rows(sql`analyze docket.repair`)
    if (
      (
        await explainList(database, 'repair', { sysparm_query: query, sysparm_fields: 'code', sysparm_no_count: '1' })
      ).includes(`index_${id}`)
    )
      used.push(query)
  }
  expect(used).toEqual(SHAPES.map(([query]) => query))
  const after = await stored()
  expect(new Set(after.map(({ indexes }) => indexes[0]?.state))).toEqual(new Set(['ready']))
})

test('runs, rows returned and rows read are counted, and no value of a request is kept (issue 12, 4)', async () => {
  const { database } = desk.docket
  await clearSlowRequests(database)
  for (const value of ['ORCHID', 'CODE']) await list(`done=true^placeNOTLIKE${value}`, { sysparm_limit: '5' })
  await list('', { sysparm_limit: '5', sysparm_page: '3', sysparm_no_count: '0' })
  const found = await stored()
  expect(Object.fromEntries(found.map((each) => [each.shape, each]))).toEqual({
    'done=?^placeNOT LIKE?': {
      ...described,
      shape: 'done=?^placeNOT LIKE?',
      runs: 2,
      slow_runs: 2,
      indexes: [{ ...{ table: 'repair', column_names: ['done'], purpose: 'conditions' }, ...proposed }],
    },
    '': { ...described, shape: '', has_total: true, page: 'offset' },
  })
  for (const { rows_read: read } of found) expect(read).toBeGreaterThanOrEqual(5)
  const [text] = await database.rows<{ all: string }>(
    sql`select string_agg(to_json(s)::text, '') as all from docket_system.slow_request s`,
  )
  expect(text?.all).not.toMatch(/ORCHID|CODE/)
  for (const value of ['ORCHID', 'TULIP']) await list(`done=true^placeNOTLIKE${value}`, { sysparm_limit: '5' })
  const again = await stored()
  expect(again.map(({ shape, runs }) => [shape, runs])).toContainEqual(['done=?^placeNOT LIKE?', 4])
})

const described = {
  table: 'repair',
  operation: 'list',
  has_total: false,
  has_rule: false,
  page: 'first',
  runs: 1,
  slow_runs: 1,
  total_ms: expect.any(Number),
  p95_ms: expect.any(Number),
  max_ms: expect.any(Number),
  rows_returned: 5,
  rows_read: expect.any(Number),
  pages_read: expect.any(Number),
  first_at: '2026-03-01 10:00:00',
  last_at: '2026-03-01 10:00:00',
  indexes: [],
}
const proposed = { state: 'proposed', statement: expect.stringContaining('/rest/v1/table/sys_db_index') }

test('fast requests are not kept, and slow ones of several processes are added up', async () => {
  const { database } = desk.docket
  await clearSlowRequests(database)
  const all = deps
  deps = createRecordDeps({ database, clock: { nowMs: () => now.getTime() }, slowMs: 3_600_000 })
  await list('level=1')
  const fast = await stored()
  deps = createRecordDeps({ database, clock: { nowMs: () => now.getTime() }, slowMs: 0 })
  await list('level=1')
  await stored()
  deps = all
  await list('level=1')
  expect([fast, (await stored()).map(({ runs }) => runs)]).toEqual([[], [2]])
})

test('docket records slow prints shapes with the statement of each index, as text and as JSON, and forgets them', async () => {
  const { database, connectionString } = desk.docket
  const run = (...args: readonly string[]) =>
    runCommand({ DOCKET_DATABASE_URL: connectionString }, ['records', 'slow', ...args], '')
  await clearSlowRequests(database)
  await list('level=5^ORDERBYamount^ORDERBYdone', { sysparm_limit: '5' })
  const shapes = await stored()
  expect(JSON.parse((await run('--json', '--table', 'repair')).output)).toEqual(shapes)
  const id = await desk.tableId('repair')
  expect((await run()).output.replace(/\b[\d.]+ (?=s in all|ms|rows|pages)/g, '- ')).toBe(`\
repair: list level=?^ORDERBYamount^ORDERBYdone
  1 runs, 1 of them slow; - s in all, 95 % within - ms, the slowest - ms; last 2026-03-01 10:00:00 UTC
  - rows returned on average; - rows and - pages read
  index for conditions on repair (level, amount, done):
    curl -X POST "$DOCKET_URL/rest/v1/table/sys_db_index" -H "Authorization: Bearer $DOCKET_TOKEN" --json '{"table_id":"${id}","column_names":["level","amount","done"],"purpose":"conditions"}'
  index for order on repair (amount, done):
    curl -X POST "$DOCKET_URL/rest/v1/table/sys_db_index" -H "Authorization: Bearer $DOCKET_TOKEN" --json '{"table_id":"${id}","column_names":["amount","done"],"purpose":"order"}'
`)
  expect((await run('--table', 'task')).output).toMatch(/^No slow record requests/)
  expect((await run('--clear')).output).toBe('Forgot 1 shapes of requests.\n')
  expect((await run('--json')).output).toBe('[]\n')
})

test('several conditions, orders and references: the most useful index is first, and an OR needs one for each side (issue 12, 4)', async () => {
  const { database } = desk.docket
  await desk.table('visit')
  for (const [name, type] of Object.entries({ kind: 'string', team: 'string', opened: 'datetime', active: 'boolean' }))
    await desk.column('visit', name, type)
  await desk.column('visit', 'visitor', 'reference', { reference_id: await desk.tableId('user') })
  await database.rows(
    sql`update docket."user" set first_name = 'First ' || substring(user_name from 6) where user_name like 'slow.%'`,
  )
  await database.rows(sql`
    with u as (select array_agg(sys_id order by sys_id) as ids from docket."user" where user_name like 'slow.%')
    insert into docket.visit (kind, team, opened, active, visitor)
    select 'kind ' || n % 700, 'team ' || n % 800, timestamp '2026-01-01' + make_interval(mins => n * 7 % ${ROWS}::integer), n % 2 = 0, u.ids[1 + n % 500]
    from generate_series(1, ${ROWS}::integer) n, u`)
  const shapes: readonly (readonly [query: string, needed: readonly string[], further: readonly string[]])[] = [
    [
      'visitor.first_name=First 7^active=true^ORDERBYDESCopened',
      ['conditions user first_name'],
      ['conditions visit active,opened', 'order visit opened'],
    ],
    [
      'kind=kind 7^ORteam=team 9^ORDERBYDESCopened',
      ['conditions visit kind', 'conditions visit team'],
      ['order visit opened'],
    ],
    [
      'openedBETWEEN2026-01-02 00:00:00@2026-01-02 00:30:00^ORDERBYteam',
      ['conditions visit opened'],
      ['order visit team'],
    ],
  ]
  for (const [query, needed, further] of shapes) {
    await clearSlowRequests(database)
    await list(query, {}, ['visit', 'kind'])
    const indexes = (await stored('visit')).flatMap((each) => each.indexes)
    expect([query, ...indexes.map(nameOf)]).toEqual([query, ...needed, ...further])
    const ids: string[] = []
    for (const { statement } of indexes.slice(0, needed.length))
      ids.push(await desk.record('sys_db_index', JSON.parse(/--json '(.*)'$/.exec(statement ?? '')?.[1] ?? '{}')))
    await database.rows(sql`analyze docket.visit`)
    const plan = await explainList(database, 'visit', {
      sysparm_query: query,
      sysparm_fields: 'kind',
      sysparm_no_count: '1',
    })
    expect([query, ...ids.filter((id) => !plan.includes(`index_${id}`))]).toEqual([query])
  }
})
