import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage } from './fixture.ts'
import { errorBody } from './scenarios.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
})
afterAll(() => stage.close())

const cycle = {
  status: 422,
  body: errorBody('INVALID_VALUE', 'The value of parent_id is rejected: the record would be its own ancestor.', {
    field: 'parent_id',
  }),
}
const done = (status: number, body: unknown) => ({ status, body })
const write = async (line: string, body: object) => {
  const response = await stage.send('admin', line, { body })
  return done(response.status, response.body)
}
const setParent = (id: string, parent: unknown, table = 'task') =>
  write(`PATCH /rest/v1/table/${table}/${id}?sysparm_fields=sys_id`, { parent_id: parent })
const fine = (id: string) => done(200, { status: 'OK', data: [{ sys_id: id }] })
const parentOf = async (id: string): Promise<unknown> =>
  (await stage.run(sql`select parent_id::text as parent from docket.task where sys_id = ${id}::bigint`))[0]
const clear = () => stage.run(sql`update docket.task set parent_id = null`)

test('a record is not its own parent (issue 8, B10)', async () => {
  expect(await setParent('1001', '1001')).toEqual(cycle)
  expect(await parentOf('1001')).toEqual({ parent: null })
})

test('a record is not its own ancestor, however the parent is named (issue 8, B10)', async () => {
  await clear()
  expect(await setParent('1002', '1001')).toEqual(fine('1002'))
  expect(await setParent('1003', '1002')).toEqual(fine('1003'))
  expect(await setParent('1001', '1003')).toEqual(cycle)
  expect(await setParent('1001', { find: { sys_id: '1003' } })).toEqual(cycle)
  expect(await write('PUT /rest/v1/table/itsm_incident/1001?sysparm_fields=sys_id', { parent_id: '1003' })).toEqual(
    cycle,
  )
  expect(await parentOf('1001')).toEqual({ parent: null })
  expect(await setParent('1003', '1001')).toEqual(fine('1003'))
})

test('a cycle that stood there before can be left, and does not hold up others (issue 8, B10)', async () => {
  await stage.run(sql`update docket.task set parent_id = case sys_id when 1001 then 1002 when 1002 then 1001 end
    where sys_id in (1001, 1002)`)
  expect(await setParent('1003', '1001')).toEqual(fine('1003'))
  expect(await setParent('1001', '1002')).toEqual(fine('1001'))
  expect(await setParent('1001', null)).toEqual(fine('1001'))
  expect(await setParent('1001', '1003')).toEqual(cycle)
})

test('groups and tables of one’s own too (issue 8, B10)', async () => {
  const made = async (line: string, body: object) => {
    const { body: read } = await write(line, body)
    return String((read as { data: { sys_id: string }[] }).data[0]?.sys_id)
  }
  const first = await made('POST /rest/v1/table/sys_group', { name: 'First' })
  const second = await made('POST /rest/v1/table/sys_group', { name: 'Second', parent_id: first })
  expect(await setParent(first, second, 'sys_group')).toEqual(cycle)
  const table = await made('POST /rest/v1/table/sys_db_table', { name: 'place', title: 'Place' })
  await made('POST /rest/v1/table/sys_db_column', {
    table_id: table,
    column_name: 'parent_id',
    title: 'Part of',
    column_type_id: { find: { name: 'reference' } },
    reference_id: table,
  })
  const building = await made('POST /rest/v1/table/place', {})
  const deps = await made('POST /rest/v1/table/place', { parent_id: building })
  expect(await setParent(building, deps, 'place')).toEqual(cycle)
})

test('two writes at once do not form a cycle together (issue 8, B10)', async () => {
  for (let round = 0; round < 20; round += 1) {
    await clear()
    const responses = await Promise.all([
      setParent('1001', '1002'),
      setParent('1002', '1003'),
      setParent('1003', '1001'),
    ])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 422])
  }
})

test('a write that waits for the other sees its parent (issue 8, B10)', async () => {
  await clear()
  let waiting: ReturnType<typeof setParent> | undefined
  await stage.docket.database.inTransaction(async (session) => {
    await session.rows(sql`select docket_system.lock_hierarchy('docket.task'::regclass)`)
    await session.rows(sql`update docket.task set parent_id = 1001 where sys_id = 1002`)
    waiting = setParent('1001', '1002')
    await waitsForLock()
  })
  expect(await waiting).toEqual(cycle)
})

test('a record that keeps its parent waits for nobody (issue 8, B10)', async () => {
  await clear()
  expect(await setParent('1002', '1001')).toEqual(fine('1002'))
  await stage.docket.database.inTransaction(async (session) => {
    await session.rows(sql`select docket_system.lock_hierarchy('docket.task'::regclass)`)
    expect(await setParent('1002', '1001')).toEqual(fine('1002'))
    expect(await setParent('1002', null)).toEqual(fine('1002'))
    expect(await write('PATCH /rest/v1/table/task/1002?sysparm_fields=sys_id', { subject: 'x' })).toEqual(fine('1002'))
  })
})

test('an import reports the row that would close a cycle (issue 8, B10)', async () => {
  await clear()
  await stage.run(sql`update docket.task set number = 'A' || sys_id where sys_id in (1001, 1002)`)
  const csv = 'number,parent_id\nA1002,1001\nA1001,1002\n'
  const response = await stage.docket.request('POST', '/rest/v1/import/task?key=number', {
    as: stage.callerOf('admin'),
    body: csv,
    headers: { 'content-type': 'text/csv' },
  })
  expect(response.body).toMatchObject({ data: { updated: 1, failed: 1, errors: [{ field: 'parent_id' }] } })
})

/** Resolves when a statement of the server waits for an advisory lock. */
async function waitsForLock(): Promise<void> {
  for (;;) {
    const [row] = (await stage.run(
      sql`select count(*)::integer as n from pg_locks where locktype = 'advisory' and not granted and classid = 723641
        and database = (select oid from pg_database where datname = current_database())`,
    )) as { n: number }[]
    if ((row?.n ?? 0) > 0) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
