import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, type Stage, setStage } from './fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    sql`select docket_system.define_column('task', 'salary', 'integer', 'salary', 'salary', '{}'::jsonb)`,
    // `moscow` may write the salary and not read it.
    rule({ operation: 'read', table: 'task', column: 'salary', roles: ['admin'] }),
    rule({ operation: 'write', table: 'task', column: 'salary', roles: ['itil'] }),
  ])
})
afterAll(() => stage.close())

const OLD = '2026-02-01 08:00:00'

interface Stamps {
  readonly sys_updated_at: string
  readonly sys_updated_by: string
  readonly count: number | null
  readonly changes: string
  readonly entries: string
}

/** Sets the record as somebody left it before, and removes its history. */
async function reset(): Promise<void> {
  await stage.run(sql`delete from docket.sys_journal_entry where record_id = '1001'`)
  await stage.run(sql`delete from docket_system.change where record_id = '1001'`)
  await stage.run(sql`update docket.task set subject = 'Printer jams', description = null, state = '2', priority = '1', reassignment_count = 0,
    assigned_user = 201, caller = 202, followers_list = '{201,202}', due_date = '2026-03-05 08:00:00.123', details = '{"a":{"b":1}}', salary = 5000, impact = '3',
    sys_updated_at = ${OLD}::timestamp, sys_updated_by = 201, update$count = 7 where sys_id = 1001`)
}

async function stamps(): Promise<Stamps | undefined> {
  const rows = await stage.run(sql`select sys_updated_at::text, sys_updated_by::text, update$count as count,
    (select count(*) from docket_system.change where record_id = '1001' and operation = 'u')::text as changes,
    (select count(*) from docket.sys_journal_entry where record_id = '1001')::text as entries from docket.task where sys_id = 1001`)
  return rows[0] as Stamps | undefined
}

const UNTOUCHED = { sys_updated_at: OLD, sys_updated_by: '201', count: 7 }
const TOUCHED = { sys_updated_at: '2026-03-02 10:00:00', sys_updated_by: '204', count: 8 }

const PATH = '/rest/v1/table/itsm_incident/1001'

describe('a write of the values that a record has already changes nothing of it (docs/spec/records.md, section 8)', () => {
  test.each<readonly [string, string, object]>([
    ['a text', 'PATCH', { subject: 'Printer jams' }],
    ['a choice, whose state stamps do not move', 'PATCH', { state: '2' }],
    ['several values', 'PUT', { subject: 'Printer jams', priority: '1', description: null }],
    ['a reference by its id', 'PATCH', { caller: '202' }],
    ['a reference as it is read', 'PUT', { caller: { value: '202', link: 'BASE/rest/v1/table/user/202' } }],
    ['a reference by another column', 'PATCH', { caller: { find: { user_name: 'reader' } } }],
    ['a list', 'PATCH', { followers_list: '201,202' }],
    [
      'members that the list has, and none that it has not',
      'PATCH',
      { followers_list: { add: ['201'], remove: ['203'] } },
    ],
    ['a time without its fraction of a second', 'PATCH', { due_date: '2026-03-05 08:00:00' }],
    ['an object', 'PUT', { details: { a: { b: 1 } } }],
    ['a merged object', 'PATCH', { details: { merge: { a: { b: 1 } } } }],
    ['a sum with nothing', 'PATCH', { reassignment_count: { increment: 0 } }],
    ['nothing appended', 'PATCH', { subject: { append: '' } }],
    ['nothing prepended', 'PATCH', { subject: { prepend: '' } }],
    ['a journal without an entry', 'PATCH', { work_notes: null, comments: '', subject: 'Printer jams' }],
    ['a journal alone without an entry', 'PATCH', { work_notes: '' }],
  ])('%s (%s)', async (_name, method, body) => {
    await reset()
    const before = await stage.send('moscow', `GET ${PATH}`)
    const written = await stage.send('moscow', `${method} ${PATH}`, { body })
    expect({ status: written.status, body: written.body }).toEqual({ status: 200, body: before.body })
    expect(written.headers['etag']).toBe(before.headers['etag'])
    expect(await stamps()).toEqual({ ...UNTOUCHED, changes: '0', entries: '0' })
  })

  test.each(['PUT', 'PATCH'])('the whole record as it was read (%s)', async (method) => {
    await reset()
    const before = await stage.send('moscow', `GET ${PATH}`)
    const { data } = JSON.parse(before.text.replaceAll(/"sys_db_table_id":"itsm_incident",?/g, '')) as {
      data: [object]
    }
    const written = await stage.send('moscow', `${method} ${PATH}`, { body: data[0] })
    expect({ status: written.status, body: written.body }).toEqual({ status: 200, body: before.body })
    expect(await stamps()).toEqual({ ...UNTOUCHED, changes: '0', entries: '0' })
  })
})

describe('a write with one other value among equal ones is an update', () => {
  test.each<readonly [string, object, object]>([
    ['a text', { subject: 'Printer jams', description: 'Every page' }, { changes: '1', entries: '0' }],
    ['a value that is removed', { priority: '1', caller: null }, { changes: '1', entries: '0' }],
    ['the order of a list', { followers_list: ['202', '201'] }, { changes: '1', entries: '0' }],
    ['a sum', { reassignment_count: { increment: 1 } }, { changes: '1', entries: '0' }],
    ['a text that is appended', { subject: { append: '!' } }, { changes: '1', entries: '0' }],
    ['a merged object', { details: { merge: { a: { c: 2 } } } }, { changes: '1', entries: '0' }],
    ['a journal entry', { subject: 'Printer jams', work_notes: 'Looked at it' }, { changes: '1', entries: '1' }],
  ])('%s', async (_name, body, more) => {
    await reset()
    const written = await stage.send('moscow', `PATCH ${PATH}`, { body })
    expect([written.status, await stamps()]).toEqual([200, { ...TOUCHED, ...more }])
  })
})

describe('a column of another table than task', () => {
  const PROBE = '/rest/v1/table/probe/2003'
  const STOOD = {
    c_integer: null,
    c_duration: null,
    c_text: null,
    c_html: null,
    c_float: 0,
    c_decimal: '1.50',
    c_json: '{"a": 1.000}',
  }
  const resetProbe = async (): Promise<void> => {
    await stage.run(sql`delete from docket_system.change where record_id = '2003'`)
    const { c_float, c_decimal, c_json } = STOOD
    await stage.run(sql`update docket.probe set c_integer = null, c_duration = null, c_text = null, c_html = null, c_float = ${c_float},
      c_decimal = ${c_decimal}::numeric, c_json = ${c_json}::jsonb, sys_updated_at = ${OLD}::timestamp, sys_updated_by = 201, update$count = 7
      where sys_id = 2003`)
  }
  const left = async (): Promise<unknown> => {
    const [row] = await stage.run(sql`select sys_updated_at::text, sys_updated_by::text, update$count as count,
      (select json_agg(json_build_object('by', changed_by::text, 'columns', changes)) from docket_system.change where record_id = '2003' and operation = 'u') as log
      from docket.probe where sys_id = 2003`)
    return row
  }

  test.each<readonly [string, object, object]>([
    ['nothing added to no number', { c_integer: { increment: 0 } }, { c_integer: [null, 0] }],
    ['nothing appended to no text', { c_text: { append: '' } }, { c_text: [null, ''] }],
    ['nothing prepended to no HTML', { c_html: { prepend: '' } }, { c_html: [null, ''] }],
  ])('%s is an update of the caller', async (_name, body, columns) => {
    await resetProbe()
    expect(await stage.send('moscow', `PATCH ${PROBE}`, { body })).toMatchObject({ status: 200 })
    expect(await left()).toEqual({ ...TOUCHED, log: [{ by: '204', columns }] })
  })

  test.each<readonly [string, object]>([
    ['negative zero', { c_float: '-0' }],
    ['an equal decimal', { c_decimal: '1.5' }],
    ['an equal number in JSON that is merged', { c_json: { merge: { a: 1 } } }],
  ])('%s is no update', async (_name, body) => {
    await resetProbe()
    const before = await stage.send('moscow', `GET ${PROBE}`)
    const written = await stage.send('moscow', `PATCH ${PROBE}`, { body })
    expect({ status: written.status, text: written.text }).toEqual({ status: 200, text: before.text })
    expect(written.headers['etag']).toBe(before.headers['etag'])
    expect(await left()).toEqual({ ...UNTOUCHED, log: null })
  })
})

describe('a rule of the column that asks for a value of the record', () => {
  const seen = async (body: object): Promise<unknown> => {
    await reset()
    const path = `${PATH}?sysparm_fields=sys_updated_at,sys_updated_by,impact`
    const written = await stage.send('moscow', `PATCH ${path}`, { body })
    return { status: written.status, body: written.body, count: (await stamps())?.count }
  }
  test('changes nothing where it is satisfied', async () => {
    const without = await seen({ impact: '3' })
    const made = await stage.run(
      rule({ operation: 'read', table: 'task', column: 'impact', condition: 'subjectISNOTEMPTY' }),
    )
    expect(made).toEqual([])
    expect(await seen({ impact: '3' })).toEqual(without)
    expect(without).toMatchObject({ count: UNTOUCHED.count })
  })
  test('hides where it is not whether the value was there already', async () => {
    await stage.run(sql`update docket.sys_security_acl set condition = 'subjectISEMPTY' where column_name = 'impact'`)
    const equal = await seen({ impact: '3' })
    expect(await seen({ impact: '1' })).toEqual(equal)
    expect(equal).toMatchObject({ count: TOUCHED.count })
  })
})

test('a caller who may not read a written column does not learn from the stamps whether it had this value', async () => {
  const seen = []
  for (const salary of [5000, 6000]) {
    await reset()
    const written = await stage.send('moscow', `PATCH ${PATH}?sysparm_fields=sys_updated_at,sys_updated_by,salary`, {
      body: { salary },
    })
    const { count } = (await stamps()) ?? {}
    seen.push({ status: written.status, body: written.body, count })
  }
  expect(seen[0]).toEqual(seen[1])
  expect(seen[0]?.count).toBe(TOUCHED.count)
})
