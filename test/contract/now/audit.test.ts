import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { explainList } from '../../harness/explain-list.ts'
import { rule, type Stage, setStage } from '../records/fixture.ts'
import { id, servedIds } from './expected.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    servedIds,
    sql`delete from docket.sys_security_acl where table_name in ('sys_history', 'sys_record_deletion_log')`,
    rule({ operation: 'read', table: 'sys_history', roles: ['itil'] }),
    sql`update docket.sys_db_table set is_audit = true where name in ('itsm_incident', 'itsm_change_request', 'probe')`,
  ])
})
afterAll(() => stage.close())

const FIELDS = 'sysparm_fields=tablename,documentkey,fieldname,oldvalue,newvalue'
const audit = async (query: string) => {
  const line = `GET /api/now/table/sys_audit?sysparm_query=${encodeURIComponent(query)}^ORDERBYfieldname&${FIELDS}`
  const { status, body } = await stage.send('worker', line)
  return { status, body }
}
const row = (fieldname: string, oldvalue: string, newvalue: string) => ({ fieldname, oldvalue, newvalue })
const rows = (tablename: string, sysId: number, ...changes: readonly ReturnType<typeof row>[]) => ({
  status: 200,
  body: { result: changes.map((change) => ({ tablename, documentkey: id(sysId), ...change })) },
})
async function write(table: string, sysId: number, body: object): Promise<void> {
  const response = await stage.send('worker', `PATCH /api/now/table/${table}/${id(sysId)}`, { body })
  expect({ status: response.status, text: response.status === 200 ? '' : response.text }).toEqual({
    status: 200,
    text: '',
  })
}

test('names and values of a change are those of the record in this API (issue 15, section 3)', async () => {
  await write('incident', 1001, {
    short_description: 'Printer jams again',
    state: '3',
    hold_reason: '4',
    approval: 'cancelled',
    assigned_to: id(204),
    watch_list: `${id(201)},${id(202)}`,
    time_worked: '1970-01-02 01:05:00',
    attention_required: 'true',
    due_date: '2026-04-01 10:00:00',
  })
  expect(await audit(`documentkey=${id(1001)}^fieldname!=state_changed_at`)).toEqual(
    rows(
      'incident',
      1001,
      row('approval', 'not requested', 'cancelled'),
      row('assigned_to', id(201), id(204)),
      row('attention_required', 'false', 'true'),
      row('due_date', '', '2026-04-01 10:00:00'),
      row('hold_reason', '', '4'),
      row('short_description', 'Printer jams', 'Printer jams again'),
      row('state', '2', '3'),
      row('time_worked', '', '1970-01-02 01:05:00'),
      row('watch_list', '', `${id(201)},${id(202)}`),
    ),
  )
})

test('values follow the class of the record, and names and values are compared as they are displayed', async () => {
  await write('change_request', 1007, { state: '-4', start_date: '2026-05-01 09:00:00' })
  expect(await audit('tablename=change_request^fieldnameINstate,start_date')).toEqual(
    rows('change_request', 1007, row('start_date', '', '2026-05-01 09:00:00'), row('state', '-5', '-4')),
  )
  expect(await audit('fieldname=state^newvalue=-4')).toEqual(rows('change_request', 1007, row('state', '-5', '-4')))
  expect(await audit(`newvalue=${id(204)}`)).toEqual(rows('incident', 1001, row('assigned_to', id(201), id(204))))
  expect(await audit('fieldname=subject')).toEqual(rows('incident', 1001))
})

test('texts that look like ids stay what they are', async () => {
  await write('probe', 2001, { title: '201', c_text: '1,2', c_list: '201,202', c_biginteger: '202', c_users: id(204) })
  expect(await audit('tablename=probe^fieldnameINtitle,c_text,c_list,c_biginteger,c_users')).toEqual(
    rows(
      'probe',
      2001,
      row('c_biginteger', '9007199254740993', '202'),
      row('c_list', '["b", "a"]', '["201", "202"]'),
      row('c_text', 'Ёлка и принтер', '1,2'),
      row('c_users', `${id(201)},${id(202)}`, id(204)),
      row('title', 'first', '201'),
    ),
  )
})

test('who made the change is a user_name, as everywhere', async () => {
  const line = 'GET /api/now/table/sys_audit?sysparm_query=fieldname=short_description&sysparm_fields=sys_created_by'
  expect((await stage.send('worker', line)).body).toEqual({ result: [{ sys_created_by: 'worker' }] })
})

test('values are computed for the rows of the page, not for those that an offset skips (issue 15)', async () => {
  const fields = 'column_name,old_value,new_value'
  const parameters = { sysparm_fields: fields, sysparm_offset: '5', sysparm_query: 'ORDERBYsys_id' }
  const plan = await explainList(stage.docket.database, 'sys_history', parameters, [], 'costs off, verbose')
  const [, rows] = plan.split('Subquery Scan on page')
  expect(plan).toContain('logged_text')
  expect(rows).toContain('Limit')
  expect(rows).not.toContain('logged_text')
})

test('an offset gives the values of its rows (issue 15)', async () => {
  const all = await stage.send('worker', `GET /api/now/table/sys_audit?sysparm_query=ORDERBYsys_id&${FIELDS}`)
  const { result } = all.body as { readonly result: readonly object[] }
  expect(result.length).toBeGreaterThan(10)
  const page = `GET /api/now/table/sys_audit?sysparm_query=ORDERBYsys_id&sysparm_offset=4&sysparm_limit=5&${FIELDS}`
  expect((await stage.send('worker', page)).body).toEqual({ result: result.slice(4, 9) })
})
