import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { loadPrincipal } from '../../src/identity/load-principal.ts'
import { sql } from '../../src/kernel/sql.ts'
import { createRecordDeps, type RecordDeps } from '../../src/records/record-deps.ts'
import { TextSamples } from '../../src/records/text-samples.ts'
import { type DictionaryDesk, openDesk } from '../contract/dictionary/dictionary-desk.ts'
import { explainList } from '../harness/explain-list.ts'
import { respondAsText } from '../harness/respond-as-text.ts'

const ADMIN = '155931135900000001'
const TASKS = 20_000
const PEOPLE = 20

let desk: DictionaryDesk
/** One connection, so that its counters are those of the requests. */
let single: Database
let deps: RecordDeps
/** The same with samples of texts, which only large tables have. */
let sampled: RecordDeps
/** An agent who sees tasks that are assigned to them or to their group. */
let agent: string
let hiddenGroup: string
let ownGroup: string
beforeAll(async () => {
  desk = await openDesk()
  single = openDatabase({
    connectionString: desk.docket.database.connectionString,
    maxConnections: 1,
    statementTimeoutMs: 60_000,
  })
  const clock = { nowMs: () => 0 }
  deps = createRecordDeps({ database: single, clock })
  sampled = { ...deps, samples: new TextSamples(single, clock, 0) }
  for (let n = 1; n <= PEOPLE; n += 1)
    await desk.record('user', { user_name: `match.${n}`, display_name: `Person ${String(n).padStart(3, '0')}` })
  hiddenGroup = await desk.record('sys_group', { name: 'Hidden' })
  ownGroup = await desk.record('sys_group', { name: 'Own' })
  agent = await desk.record('user', { user_name: 'match.agent', display_name: 'Agent' })
  const role = await desk.record('sys_role', { name: 'match_agent' })
  await desk.record('sys_user_has_role', { user_id: agent, role_id: role })
  await desk.record('sys_user_group', { user_id: agent, group_id: ownGroup })
  await desk.record('sys_security_acl', {
    operation: 'read',
    table_name: 'task',
    roles: [role],
    condition: 'assigned_user=javascript:gs.getUserID()^ORassignment_groupINjavascript:gs.getUser().getMyGroups()',
  })
  await desk.record('sys_security_acl', { operation: 'read', table_name: 'user', roles: [role], condition: '' })
  // Half of the tasks are in the hidden group, and three of these are assigned to the agent, the oldest ones. An eighth have a
  // subject that is the last in the order of subjects.
  await single.rows(sql`
    with u as (select array_agg(sys_id order by sys_id) as ids from docket."user" where user_name similar to 'match.[0-9]+')
    insert into docket.task (number, subject, state, caller, assigned_user, assignment_group, sys_created_at)
    select 'MTC' || lpad(n::text, 7, '0'), case when n % 8 = 0 then 'zebra ' else 'apple ' end || n, (n % 5)::text,
      u.ids[1 + n % ${PEOPLE}::integer],
      case when n in (2, 4, 6) or n % 400 = 1 then ${agent}::bigint else u.ids[1 + n % ${PEOPLE}::integer] end,
      case when n % 2 = 0 then ${hiddenGroup}::bigint else ${ownGroup}::bigint end, timestamp '2026-01-01' + make_interval(mins => n)
    from generate_series(1, ${TASKS}::integer) n, u`)
  await single.rows(
    sql`update docket.task set assigned_user = null where number like '%0' and assigned_user <> ${agent}::bigint`,
  )
  for (const table of ['task', 'user']) await single.rows(sql`vacuum (analyze) ${sql.id('docket', table)}`)
  const { tables } = await deps.catalog.upToDate()
  for (const name of ['task', 'user']) await sampled.samples.ready(tables.get(name) ?? notThere(name))
})
afterAll(async () => {
  await single.close()
  await desk.close()
})

const notThere = (name: string): never => {
  throw new Error(`no table ${name}`)
}

interface Listed {
  readonly numbers: readonly string[]
  readonly total: string | undefined
  readonly cursor: string | undefined
}

async function list(
  query: string,
  more: Readonly<Record<string, string>> = {},
  userId = ADMIN,
  by = deps,
): Promise<Listed> {
  const loaded = await loadPrincipal(single, userId)
  if (loaded === undefined) throw new Error(`no user ${userId}`)
  const parameters = new Map(Object.entries({ sysparm_query: query, sysparm_fields: 'number', ...more }))
  const response = await respondAsText(by, { operation: 'list', table: 'task', parameters, ...loaded })
  if (!response.ok) throw new Error(JSON.stringify(response.error))
  const { headers, body } = response.value
  const { data } = JSON.parse(String(body)) as { readonly data: readonly { readonly number: string }[] }
  return {
    numbers: data.map(({ number }) => number),
    total: headers['x-total-count'],
    cursor: headers['x-next-cursor'],
  }
}

/** Rows of tasks that were read by an index, or by a scan of the table. */
async function rowsRead(work: () => Promise<unknown>): Promise<number> {
  const count = async () => {
    await single.rows(sql`select pg_stat_force_next_flush()`)
    const [row] = await single.rows<{ n: string }>(sql`
      select (seq_tup_read + idx_tup_fetch)::text as n from pg_stat_user_tables where schemaname = 'docket' and relname = 'task'`)
    return Number(row?.n)
  }
  const before = await count()
  await work()
  return (await count()) - before
}

const countMax = (value: number) =>
  single.rows(sql`update docket.sys_property set value = ${String(value)} where name = 'rest.count.max'`)

test.each([
  ['with its total', {}],
  ['without a total', { sysparm_no_count: '1' }],
])('a name behind a reference that nobody has reads no task, %s (issue 12, C)', async (_what, more) => {
  let listed: Listed | undefined
  const read = await rowsRead(async () => {
    listed = await list('callerLIKEnobody has it', more)
  })
  expect(listed?.numbers).toEqual([])
  expect(read).toBeLessThan(100)
})

test('the total of a text is not counted by the index of its order alone, in which the matches may be the last (issue 12, C)', async () => {
  const parameters = { sysparm_query: 'subjectLIKEzebra^ORDERBYnumber', sysparm_limit: '3' }
  const plan = await explainList(single, 'task', parameters, ['bitmapscan', 'seqscan'])
  expect(plan).toContain('Index Scan')
  expect(plan).not.toContain('Index Only Scan')
})

test('where all referenced records have a value, a list that begins with those without reads no record to find none (issue 12, D)', async () => {
  let listed: Listed | undefined
  const read = await rowsRead(async () => {
    listed = await list('ORDERBYDESCcaller.display_name', { sysparm_limit: '3', sysparm_no_count: '1' })
  })
  expect(listed?.numbers).toHaveLength(3)
  // The tasks of one person are sorted.
  expect(read).toBeLessThan((3 * TASKS) / PEOPLE)
})

test('a queue of a group that a rule hides is not read to its end (issue 12, E)', async () => {
  const query = `assignment_group=${hiddenGroup}^ORDERBYDESCsys_created_at`
  let listed: Listed | undefined
  const read = await rowsRead(async () => {
    listed = await list(query, {}, agent)
  })
  expect(listed).toMatchObject({ numbers: ['MTC0000006', 'MTC0000004', 'MTC0000002'], total: '3' })
  expect(read).toBeLessThan(TASKS / 20)
  const own = await rowsRead(async () => {
    const more = { sysparm_limit: '2', sysparm_no_count: '1' }
    listed = await list(`assignment_group=${ownGroup}^ORDERBYDESCsys_created_at`, more, agent)
  })
  expect(listed?.numbers).toEqual(['MTC0019999', 'MTC0019997'])
  expect(own).toBeLessThan(100)
})

test.each([
  'subjectSTARTSWITHzebra 12^ORDERBYnumber',
  'subjectLIKEzebra 12^ORDERBYDESCcaller',
  'caller.display_nameLIKEperson 01^numberLIKEMTC0001^ORDERBYcaller.display_name^ORDERBYDESCnumber',
  'subjectLIKEzebra 12^ORDERBYDESCsys_updated_at',
  'subjectLIKEzebra 12^sys_updated_at>2020-01-01 00:00:00',
])('a list is the same if its matches are found first, or read in its order: %s (issue 12, C)', async (query) => {
  const all = await list(query, { sysparm_limit: '1000' })
  expect(Number(all.total)).toBe(all.numbers.length)
  expect(all.numbers.length).toBeGreaterThan(100)
  for (const max of [10_000, 20]) {
    await countMax(max)
    const byOffset: string[] = []
    const byCursor: string[] = []
    for (let offset = 0; offset < 150; offset += 50)
      byOffset.push(...(await list(query, { sysparm_limit: '50', sysparm_offset: String(offset) })).numbers)
    for (let cursor: string | undefined = '*'; cursor !== undefined && byCursor.length < 150; ) {
      const page: Listed = await list(query, { sysparm_limit: '50', sysparm_cursor: cursor })
      byCursor.push(...page.numbers)
      cursor = page.cursor
    }
    expect([byOffset, byCursor]).toEqual([all.numbers.slice(0, 150), all.numbers.slice(0, 150)])
  }
  await countMax(10_000)
})

test.each([
  ['subjectLIKEzebra 12', "'%a 12%'"],
  ['subjectSTARTSWITHzebra 1234', "'%a 1234%'"],
  ['numberLIKEMTC000123', "'%000123%'"],
  ['caller.display_nameLIKEperson 01', "'% 01%'"],
  ['subjectENDSWITHapple 12345^ORsubjectLIKEzebra 12344', "'%a 12344%'"],
])(
  'of the parts of a text that are frequent, one is looked up, and the records are the same: %s (issue 12, C)',
  async (query, coarse) => {
    const parameters = { sysparm_query: query, sysparm_no_count: '1' }
    const plan = await explainList(single, 'task', parameters, ['seqscan', 'indexscan'], 'costs off', { deps: sampled })
    expect(plan).toContain(coarse)
    for (const userId of [ADMIN, agent]) {
      for (const max of [10_000, 20]) {
        await countMax(max)
        const more = { sysparm_limit: '50', sysparm_cursor: '*' }
        expect(await list(query, more, userId, sampled)).toEqual(await list(query, more, userId))
      }
    }
    await countMax(10_000)
    expect((await list(query)).numbers.length).toBeGreaterThan(0)
  },
)

test('a beginning is looked up in an index of whole texts, if there is one (issue 12, C)', async () => {
  const parameters = { sysparm_query: 'numberSTARTSWITHMTC000123', sysparm_no_count: '1' }
  const plan = await explainList(single, 'task', parameters, ['seqscan'], 'costs off', { deps: sampled })
  expect(plan).toMatch(/Index Cond: [^\n]*>= 'mtc000123'/)
})

test('a text that is not what its parts promise is not found (issue 12, C)', async () => {
  for (const query of ['subjectLIKEzebbra 1', 'subjectLIKEzebrra 12', 'subjectSTARTSWITHebra 12'])
    expect(await list(query, {}, ADMIN, sampled)).toMatchObject({ numbers: [], total: '0' })
})

/** The numbers of the tasks that satisfy a condition and the rule of the agent, by plain SQL. */
async function numbersBySql(condition: string): Promise<readonly string[]> {
  const rows = await single.rows<{ number: string }>(
    sql.raw(
      `select number from docket.task where (${condition}) and (assigned_user = ${agent} or assignment_group = ${ownGroup}) order by number`,
    ),
  )
  return rows.map(({ number }) => number)
}

test.each([
  ['subjectLIKEzebra', "subject like '%zebra%'"],
  ['subjectLIKEapple 1^assignment_group=OWN', "subject like '%apple 1%' and assignment_group = OWN"],
  ['subjectLIKEapple 1^assignment_group=HIDDEN', "subject like '%apple 1%' and assignment_group = HIDDEN"],
  ['subjectLIKEapple^assigned_userDYNAMICme', "subject like '%apple%' and assigned_user = AGENT"],
  [
    'subjectLIKEapple 12^assignment_groupDYNAMICmygroups^ORassigned_userISEMPTY',
    "subject like '%apple 12%' and (assignment_group = OWN or assigned_user is null)",
  ],
  [
    'subjectLIKEzebra^assigned_user=javascript:gs.getUserID()^state=2^ORcaller=javascript:gs.getUserID()',
    "subject like '%zebra%' and assigned_user = AGENT and (state = '2' or caller = AGENT)",
  ],
  ['subjectSTARTSWITHzebra 1^ORsubjectSTARTSWITHapple 9', "subject like 'zebra 1%' or subject like 'apple 9%'"],
  ['AREzebra', "subject like '%zebra%'"],
])(
  'texts and references are looked up together, and the records are those of plain SQL: %s (issue 12, C)',
  async (query, condition) => {
    const filled = (text: string) =>
      text.replaceAll('OWN', ownGroup).replaceAll('HIDDEN', hiddenGroup).replaceAll('AGENT', agent)
    const expected = await numbersBySql(filled(condition))
    for (const by of [deps, sampled]) {
      for (const max of [10_000, 20]) {
        await countMax(max)
        const listed = await list(`${filled(query)}^ORDERBYnumber`, { sysparm_limit: '300' }, agent, by)
        expect(listed.numbers).toEqual(expected.slice(0, 300))
        expect(listed.total).toBe(expected.length > max ? undefined : String(expected.length))
      }
    }
    await countMax(10_000)
  },
)

test.each(['DYNAMICmygroups', '=javascript:gs.getMyGroups()', 'INjavascript:gs.getUser().getMyGroups()'])(
  'a list of the tasks of my groups leaves out the rule that allows them: assignment_group%s (issue 12, C)',
  async (groups) => {
    const query = `subjectLIKEapple 1^assignment_group${groups}^ORDERBYnumber`
    const listed = await list(query, { sysparm_limit: '1000' }, agent)
    expect(listed.numbers).toEqual(
      (await numbersBySql(`subject like '%apple 1%' and assignment_group = ${ownGroup}`)).slice(0, 1000),
    )
    const parameters = { sysparm_query: `assignment_group${groups}^ORDERBYDESCsys_created_at` }
    const plan = await explainList(single, 'task', parameters, [], 'costs off', { userId: agent })
    expect(plan).not.toContain('assigned_user =')
    const narrower = await explainList(single, 'task', { sysparm_query: `assigned_user${groups}` }, [], 'costs off', {
      userId: agent,
    })
    expect(narrower).toContain('assigned_user =')
  },
)

test.each([
  ['subjectLIKEzebra', '~~'],
  ['AREzebra', '@@'],
])('the index of a text has the references of a rule beside it: %s (issue 12, C)', async (query, operator) => {
  const parameters = { sysparm_query: query }
  const plan = await explainList(single, 'task', parameters, ['seqscan', 'indexscan'], 'costs off', { userId: agent })
  const conditions = plan.split('\n').filter((line) => line.includes('Index Cond') && line.includes('ARRAY['))
  // The matches of words may be looked up once more, if there are many.
  expect(conditions.length).toBeGreaterThan(0)
  for (const each of conditions) expect(each).toContain(operator)
  expect(conditions[0]).toContain(`&& '{${agent},${ownGroup}}'`)
})

test('groups of the matches of a text are looked up together with the references of a rule, and have all of them (issue 12, C)', async () => {
  const loaded = await loadPrincipal(single, agent)
  if (loaded === undefined) throw new Error('no agent')
  const parameters = new Map(Object.entries({ sysparm_query: 'subjectLIKEapple 1', sysparm_group_by: 'state' }))
  const response = await respondAsText(deps, { operation: 'stats', table: 'task', parameters, ...loaded })
  if (!response.ok) throw new Error(JSON.stringify(response.error))
  const { data } = JSON.parse(String(response.value.body)) as { readonly data: readonly { readonly count: number }[] }
  const expected = await numbersBySql("subject like '%apple 1%'")
  expect(data.length).toBeGreaterThan(1)
  expect(data.reduce((sum, { count }) => sum + count, 0)).toBe(expected.length)
})
