import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadPrincipal } from '../../src/identity/load-principal.ts'
import { sql } from '../../src/kernel/sql.ts'
import { createRecordDeps } from '../../src/records/record-deps.ts'
import { type DictionaryDesk, openDesk } from '../contract/dictionary/dictionary-desk.ts'
import { explainList } from '../harness/explain-list.ts'
import { respondAsText } from '../harness/respond-as-text.ts'

const TASKS = 6_000
const USERS = 60

let desk: DictionaryDesk
beforeAll(async () => {
  desk = await openDesk()
  const { database } = desk.docket
  await database.rows(sql`
    insert into docket."user" (user_name, display_name)
    select 'plan.' || n, 'Person ' || lpad(((n * 7) % ${USERS}::integer)::text, 3, '0') from generate_series(1, ${USERS}::integer) n`)
  await database.rows(sql`
    with u as (select array_agg(sys_id order by sys_id) as ids from docket."user" where user_name like 'plan.%')
    insert into docket.task (number, subject, state, priority, active, assigned_user, caller, sys_created_at, due_date)
    select 'PLN' || lpad(n::text, 7, '0'), 'Subject ' || n, (n % 7)::text, (1 + n % 4)::text, n % 3 > 0,
      u.ids[1 + n % ${USERS}::integer], case when n % 50 > 0 then u.ids[1 + (n * 7) % ${USERS}::integer] end,
      timestamp '2026-01-01' + make_interval(mins => n), timestamp '2026-02-01' + make_interval(mins => n)
    from generate_series(1, ${TASKS}::integer) n, u`)
  await database.rows(sql`analyze docket.task`)
  await database.rows(sql`analyze docket."user"`)
})
afterAll(() => desk.close())

const planOf = (query: string): Promise<string> =>
  explainList(desk.docket.database, 'task', { sysparm_query: query, sysparm_no_count: '1' })

async function indexOn(table: string, columns: string, purpose: string): Promise<string> {
  const rows = (await desk.records(
    'sys_db_index',
    `column_names,storage_index&sysparm_query=table_id.name=${table}^purpose=${purpose}`,
  )) as readonly { column_names: readonly string[]; storage_index: string }[]
  const found = rows.find(({ column_names }) => column_names.join(',') === columns)
  if (found === undefined) throw new Error(`no index of ${table} on ${columns}`)
  return found.storage_index
}

async function peopleOf(count: number): Promise<readonly string[]> {
  const rows = await desk.docket.database.rows<{ id: string }>(
    sql`select sys_id::text as id from docket."user" where user_name like 'plan.%' order by sys_id limit ${count}::integer`,
  )
  return rows.map(({ id }) => id)
}

test.each([
  ['ORDERBYDESCnumber', 'number', 'Backward'],
  ['ORDERBYpriority', 'priority', ''],
  ['ORDERBYDESCsubject', 'subject', 'Backward'],
])('%s walks an index and sorts nothing (issue 12, D)', async (query, column, backward) => {
  const plan = await planOf(query)
  const index = await indexOn('task', column, 'order')
  expect(plan).toMatch(new RegExp(`Index (Only )?Scan ${backward === '' ? '' : `${backward} `}using ${index}`))
  expect(plan).not.toContain('Sort')
})

test.each(['ORDERBYcaller.display_name', 'ORDERBYDESCcaller', 'ORDERBYassigned_user^active=true'])(
  'an order by a column behind a reference reads the records of the first referenced rows only: %s (issue 12, D)',
  async (query) => {
    const plan = await planOf(query)
    expect(plan).toMatch(/Incremental Sort\n\s+Sort Key: \S+ COLLATE text_order[^\n]*\n\s+Presorted Key: \S+/)
    expect(plan).not.toContain('Seq Scan on task')
  },
)

test('an order by a column behind a reference has the records without a reference or a value last, or first when it descends (issue 12, D)', async () => {
  const table = await desk.table('walked_target')
  await desk.column('walked_target', 'title', 'string', { display_by_ref: true })
  await desk.table('walked')
  await desk.column('walked', 'nr', 'integer')
  await desk.column('walked', 'target', 'reference', { reference_id: table })
  const [b, none, a, b2] = [
    await desk.record('walked_target', { title: 'b' }),
    await desk.record('walked_target', {}),
    await desk.record('walked_target', { title: 'a' }),
    await desk.record('walked_target', { title: 'b' }),
  ]
  for (const [nr, target] of [b, null, a, none, b2, null, a, b, none].entries()) {
    await desk.record('walked', { nr, ...(target !== null && { target }) })
  }
  const numbers = async (more: string): Promise<readonly number[]> => {
    const response = await desk.send(`GET /rest/v1/table/walked?sysparm_fields=nr&${more}`)
    return (response.body as { data: readonly { nr: number }[] }).data.map(({ nr }) => nr)
  }
  const byCursor = async (query: string, size: number): Promise<readonly number[]> => {
    const all: number[] = []
    for (let cursor = '*'; cursor !== ''; ) {
      const more = `sysparm_fields=nr&sysparm_query=${query}&sysparm_limit=${size}&sysparm_cursor=${cursor}`
      const response = await desk.send(`GET /rest/v1/table/walked?${more}`)
      all.push(...(response.body as { data: readonly { nr: number }[] }).data.map(({ nr }) => nr))
      cursor = String(response.headers['x-next-cursor'] ?? '')
    }
    return all
  }
  const ascending = [2, 6, 0, 4, 7, 1, 3, 5, 8]
  const descending = [8, 5, 3, 1, 7, 4, 0, 6, 2]
  for (const [query, expected] of [
    ['ORDERBYtarget', ascending],
    ['ORDERBYDESCtarget.title', descending],
  ] as const) {
    expect(await numbers(`sysparm_query=${query}`)).toEqual(expected)
    for (const size of [1, 2, 4]) {
      const pages: number[] = []
      for (let offset = 0; offset < expected.length; offset += size) {
        pages.push(...(await numbers(`sysparm_query=${query}&sysparm_limit=${size}&sysparm_offset=${offset}`)))
      }
      expect(pages).toEqual(expected)
      expect(await byCursor(query, size)).toEqual(expected)
    }
  }
})

test.each([
  ['ORDERBYcaller.display_name', (ids: readonly string[]) => ids.slice(10, 15)],
  ['ORDERBYDESCcaller', (ids: readonly string[]) => ids.slice(4, 9).toReversed()],
] as const)(
  'a page by cursor among the records without a value behind the reference reads them alone: %s (issue 12, D)',
  async (query, following) => {
    const rows = await desk.docket.database.rows<{ id: string }>(
      sql`select sys_id::text as id from docket.task where caller is null order by sys_id`,
    )
    const all = rows.map(({ id }) => id)
    const cursor = Buffer.from(JSON.stringify([null, all[9]])).toString('base64url')
    const parameters = { sysparm_query: query, sysparm_no_count: '1', sysparm_cursor: cursor }
    const plan = await explainList(desk.docket.database, 'task', parameters)
    expect(plan).not.toContain('Seq Scan on task')
    expect(plan).toMatch(/caller IS NULL/)
    const response = await desk.send(
      `GET /rest/v1/table/task?${new URLSearchParams({ ...parameters, sysparm_limit: '5' })}`,
    )
    const ids = (response.body as { data: readonly { sys_id: string }[] }).data.map(({ sys_id }) => sys_id)
    expect(ids).toEqual(following(all))
  },
)

test('a total over two references is counted from their indexes, without reading a record (issue 12, E)', async () => {
  const [, one, other] = await peopleOf(3)
  const query = `assigned_user=${one}^ORcaller=${other}^stateIN1,2,3^active=true`
  // On so few rows, the choice depends on the results of VACUUM.
  const plan = await explainList(desk.docket.database, 'task', { sysparm_query: query, sysparm_limit: '1' }, [
    'bitmapscan',
    'seqscan',
  ])
  for (const column of ['assigned_user', 'caller']) {
    const index = await indexOn('task', `${column},sys_created_at`, 'conditions')
    expect(plan).toMatch(new RegExp(`Index Only Scan using ${index} on task`))
  }
  const response = await desk.send(`GET /rest/v1/table/task?sysparm_limit=1&sysparm_query=${encodeURIComponent(query)}`)
  const [counted] = await desk.docket.database.rows<{ n: string }>(sql`
    select count(*)::text as n from docket.task
    where (assigned_user = ${one}::bigint or caller = ${other}::bigint) and state in ('1', '2', '3') and active`)
  expect(response.headers['x-total-count']).toBe(counted?.n)
  expect(Number(counted?.n)).toBeGreaterThan(20)
})

test('a total over two references follows conditions behind references, too (issue 12, E)', async () => {
  const [, one, other] = await peopleOf(3)
  const query = `assigned_user=${one}^ORcaller=${other}^caller.display_nameLIKEperson 0^assigned_user.display_name!=x`
  const response = await desk.send(`GET /rest/v1/table/task?sysparm_limit=1&sysparm_query=${encodeURIComponent(query)}`)
  const [counted] = await desk.docket.database.rows<{ n: string }>(sql`
    select count(*)::text as n from docket.task
    where (assigned_user = ${one}::bigint or caller = ${other}::bigint) and caller is not null`)
  expect([response.status, response.headers['x-total-count']]).toEqual([200, counted?.n])
  expect(Number(counted?.n)).toBeGreaterThan(100)
})

test('an index on a reference leaves out the rows without one, and serves conditions and foreign keys (issue 12, F)', async () => {
  const { database } = desk.docket
  const partial = await database.rows<{ name: string }>(sql`
    select indexname as name from pg_indexes where schemaname = 'docket' and tablename = 'task' and indexdef like '%IS NOT NULL)' order by 1`)
  const columns = ['closed_by', 'company', 'contact', 'opened_by', 'parent_id', 'requested_for', 'service']
  expect(partial.map(({ name }) => name)).toEqual(columns.map((column) => `task_${column}_idx`))
  expect(
    await explainList(database, 'task', { sysparm_query: 'company=155931135900000001', sysparm_no_count: '1' }),
  ).toContain('task_company_idx')
  // The query of the foreign key check when a company is deleted.
  const check = await database.run(
    {
      name: 'check_of_key',
      text: 'explain (costs off) select from only docket.task x where $1 = x.company for key share of x',
    },
    ['155931135900000001'],
  )
  expect(check.join('\n')).toContain('task_company_idx')
})

test('an index holds included columns beside its keys, which only short values may be (issue 12, E)', async () => {
  await desk.table('crate')
  await desk.column('crate', 'weight', 'integer')
  await desk.column('crate', 'fragile', 'boolean')
  await desk.column('crate', 'note', 'string')
  const table = await desk.tableId('crate')
  const make = (more: Readonly<Record<string, unknown>>) =>
    desk.send('POST /rest/v1/table/sys_db_index', { table_id: table, column_names: ['weight'], ...more })
  expect((await make({ included_columns: ['fragile'] })).status).toBe(200)
  const definitions = await desk.docket.database.rows<{ indexdef: string }>(
    sql`select indexdef from pg_indexes where schemaname = 'docket' and tablename = 'crate' and indexdef like '%INCLUDE%'`,
  )
  expect(definitions.map(({ indexdef }) => indexdef.replace(/index_\d+/, 'index'))).toEqual([
    'CREATE INDEX index ON docket.crate USING btree (weight, sys_id) INCLUDE (fragile)',
  ])
  const errors = [
    [['note'], 'note is a column of type string; values of at most a few bytes are included'],
    [['height'], 'there is no column height in crate'],
    [['weight'], 'weight is a key of the index already'],
  ] as const
  for (const [included_columns, text] of errors) {
    const response = await make({ included_columns })
    expect([response.status, response.body]).toMatchObject([
      422,
      { errors: [{ code: 'INVALID_VALUE', field: 'included_columns', message: expect.stringContaining(text) }] },
    ])
  }
})

test('a rule on the assigned user or group is decided from the index by which the tasks of a caller are found (issue 12, D)', async () => {
  const { database } = desk.docket
  const group = await desk.record('sys_group', { name: 'Plan group' })
  const agent = await desk.record('user', { user_name: 'planner', display_name: 'Planner' })
  const role = await desk.record('sys_role', { name: 'plan_agent' })
  await desk.record('sys_user_has_role', { user_id: agent, role_id: role })
  await desk.record('sys_user_group', { user_id: agent, group_id: group })
  const condition = 'assigned_user=javascript:gs.getUserID()^ORassignment_groupINjavascript:gs.getUser().getMyGroups()'
  for (const table_name of ['task', 'user'])
    await desk.record('sys_security_acl', {
      operation: 'read',
      table_name,
      roles: [role],
      condition: table_name === 'task' ? condition : '',
    })
  await database.rows(sql`update docket.task set assignment_group = ${group}::bigint where sys_id % 10 = 0`)
  await database.rows(sql`vacuum (analyze) docket.task`)
  const [, caller] = await peopleOf(2)
  const byCaller = await indexOn('task', 'caller,sys_created_at', 'conditions')
  const explain = (query: string, noCount: '0' | '1') =>
    explainList(
      database,
      'task',
      { sysparm_query: query, sysparm_no_count: noCount, sysparm_limit: '5' },
      ['bitmapscan', 'seqscan'],
      'costs off',
      { userId: agent },
    )
  expect(await explain('ORDERBYcaller.display_name', '1')).toMatch(
    new RegExp(
      `Index Only Scan using ${byCaller} on task \\w+\\n\\s+Index Cond: \\(caller = \\w+.sys_id\\)\\n\\s+Filter: [^\\n]*assigned_user`,
    ),
  )
  expect(await explain(`caller=${caller}^ORDERBYDESCsys_created_at`, '0')).toMatch(
    new RegExp(
      `Index Only Scan using ${byCaller} on task \\w+\\n\\s+Index Cond: \\(caller = [^\\n]+\\n\\s+Filter: [^\\n]*assignment_group`,
    ),
  )
  // The pages are those of the rows that the rule allows, in their order.
  const visible = await database.rows<{ number: string }>(sql`
    select t.number from docket.task t left join docket."user" u on u.sys_id = t.caller where t.assignment_group = ${group}::bigint
    order by u.display_name collate docket_system.text_order nulls last, t.sys_id`)
  expect(visible.length).toBeGreaterThan(100)
  const deps = createRecordDeps({ database, clock: { nowMs: () => 0 } })
  const loaded = await loadPrincipal(database, agent)
  if (loaded === undefined) throw new Error('no agent')
  const read: string[] = []
  for (let cursor = '*'; cursor !== ''; ) {
    const parameters = new Map(
      Object.entries({
        sysparm_query: 'ORDERBYcaller',
        sysparm_fields: 'number',
        sysparm_limit: '97',
        sysparm_cursor: cursor,
      }),
    )
    const response = await respondAsText(deps, { operation: 'list', table: 'task', parameters, ...loaded })
    if (!response.ok) throw new Error(JSON.stringify(response.error))
    const { data } = JSON.parse(String(response.value.body)) as {
      readonly data: readonly { readonly number: string }[]
    }
    read.push(...data.map(({ number }) => number))
    cursor = response.value.headers['x-next-cursor'] ?? ''
  }
  expect(read).toEqual(visible.map(({ number }) => number))
})

test.each([4, 40])(
  'rows whose referenced record has no value are in the order of the list, be they few or many: %s people without a name (issue 12, D)',
  async (people) => {
    const { database } = desk.docket
    await database.rows(sql`
    update docket."user" set display_name = case when n > ${people}::integer then 'Person ' || n end
    from (select sys_id as id, row_number() over (order by sys_id) as n from docket."user" where user_name like 'plan.%') as p where p.id = sys_id`)
    const expected = await database.rows<{ number: string }>(sql`
    select t.number from docket.task t left join docket."user" u on u.sys_id = t.caller
    order by u.display_name collate docket_system.text_order desc nulls first, t.sys_id desc`)
    const read = async (more: string) => {
      const address = `GET /rest/v1/table/task?sysparm_query=ORDERBYDESCcaller.display_name&sysparm_fields=number&sysparm_limit=500&${more}`
      const { body, headers } = await desk.send(address)
      const { data } = body as { readonly data: readonly { readonly number: string }[] }
      return { numbers: data.map(({ number }) => number), cursor: String(headers['x-next-cursor'] ?? '') }
    }
    const byCursor: string[] = []
    for (let cursor = '*'; cursor !== ''; ) {
      const page = await read(`sysparm_cursor=${cursor}`)
      byCursor.push(...page.numbers)
      cursor = page.cursor
    }
    const byOffset: string[] = []
    for (let offset = 0; offset < TASKS; offset += 500)
      byOffset.push(...(await read(`sysparm_offset=${offset}`)).numbers)
    const numbers = expected.map(({ number }) => number)
    expect(numbers.length).toBe(TASKS)
    expect([byCursor, byOffset]).toEqual([numbers, numbers])
  },
)

test.each([
  [
    'department',
    "insert into docket.department (name) select 'Unit ' || n from generate_series(1, 20000) n",
    'nameLIKEit 1999',
  ],
  [
    'sys_attachment',
    `insert into docket.sys_attachment (file_name, content_type, size_bytes, table_id, record_id)
      select 'report ' || n || '.pdf', 'application/pdf', 1, t.sys_id, 1 from docket.sys_db_table t, generate_series(1, 20000) n where t.name = 'task'`,
    'file_nameLIKEport 1999',
  ],
])('a part of a name of %s is looked up in an index (issue 12, C)', async (table, rows, query) => {
  const { database } = desk.docket
  await database.rows(sql.raw(rows))
  await database.rows(sql.raw(`analyze docket.${table}`))
  const [column = ''] = query.split('LIKE')
  expect(
    await explainList(database, table, { sysparm_query: query, sysparm_fields: column, sysparm_no_count: '1' }),
  ).toContain(`Bitmap Index Scan on ${await indexOn(table, column, 'contains')}`)
})
