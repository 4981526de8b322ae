import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage, type Who } from '../records/fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    sql`insert into docket."user" (sys_id, user_name, display_name) values (211, 'twin.one', 'Twin'), (212, 'twin.two', 'Twin')`,
  ])
})
afterAll(() => stage.close())

type Row = Readonly<Record<string, unknown>>
async function load(as: Who, table: string, query: string, rows: readonly Row[]) {
  const response = await stage.send(as, `POST /rest/v1/import/${table}?${query}`, {
    body: rows.map((row) => JSON.stringify(row)).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  })
  return { ...(response.body as { data?: unknown; errors?: unknown }), status: response.status }
}
const read = async (line: string) => (await stage.send('admin', `GET ${line}`)).body as { data: readonly Row[] }
const incidents = (query: string, fields: string) =>
  read(
    `/rest/v1/table/itsm_incident?sysparm_exclude_reference_link=1&sysparm_query=${encodeURIComponent(query)}&sysparm_fields=${fields}`,
  ).then(({ data }) => data)

test('values of an import may be names: of records by display value or unique column, of choices by title (issue 8, B3)', async () => {
  const response = await load('worker', 'itsm_incident', '', [
    { subject: 'names 1', caller: 'reader', state: 'Registered', assignment_group: '401' },
    { subject: 'names 2', caller: 'Rita Reader', state: '1' },
    { subject: 'names 3', caller: '202', followers_list: 'worker,Rita Reader' },
    { subject: 'names 4', caller: 'nobody.at.all' },
    { subject: 'names 5', caller: 'Twin' },
    { subject: 'names 6', state: 'Slain' },
  ])
  expect(response).toMatchObject({
    status: 200,
    data: {
      inserted: 3,
      failed: 3,
      errors: [
        {
          line: 4,
          code: 'INVALID_VALUE',
          field: 'caller',
          message: expect.stringContaining('no record of user is called "nobody.at.all"'),
        },
        {
          line: 5,
          code: 'INVALID_VALUE',
          field: 'caller',
          message: expect.stringContaining('several records of user are called "Twin"; give the sys_id'),
        },
        { line: 6, code: 'INVALID_VALUE', field: 'state', message: expect.stringContaining('is not a choice') },
      ],
    },
  })
  expect(await incidents('subjectSTARTSWITHnames^ORDERBYsubject', 'subject,caller,state,assignment_group')).toEqual([
    { subject: 'names 1', caller: '202', state: '0', assignment_group: '401' },
    { subject: 'names 2', caller: '202', state: '1', assignment_group: null },
    { subject: 'names 3', caller: '202', state: '0', assignment_group: null },
  ])
  expect(await incidents('followers_listHAS201@202', 'subject')).toEqual([{ subject: 'names 3' }])
})

test('a mapping renames columns, leaves columns out and translates values (issue 8, B3)', async () => {
  const mapping = JSON.stringify({
    columns: { 'Short description': 'subject', Requester: 'caller', '*': null },
    values: { caller: { Rita: 'reader' } },
  })
  const response = await load('worker', 'itsm_incident', `mapping=${encodeURIComponent(mapping)}`, [
    { 'Short description': 'mapped', Requester: 'Rita', Weather: 'rain' },
  ])
  expect(response).toMatchObject({ status: 200, data: { inserted: 1, failed: 0, errors: [] } })
  expect(await incidents('subject=mapped', 'subject,caller')).toEqual([{ subject: 'mapped', caller: '202' }])
  expect(await load('worker', 'itsm_incident', 'mapping=%7B', [{ subject: 'x' }])).toMatchObject({ status: 400 })
  expect(
    await load('worker', 'itsm_incident', `mapping=${encodeURIComponent('{"colums":{}}')}`, [{ subject: 'x' }]),
  ).toMatchObject({ status: 400 })
})

const old = {
  sys_id: '150000000000000001',
  number: 'INC0005000',
  subject: 'moved in',
  caller: 'reader',
  state: 'Closed',
  opened_at: '2019-05-01 08:00:00',
  closed_at: '2019-05-02 09:30:00',
  closed_by: 'worker',
  active: false,
  sys_created_at: '2019-05-01 08:00:01',
  sys_created_by: 'reader',
  sys_updated_at: '2019-05-02 09:30:02',
  sys_updated_by: 'worker',
  work_notes: [
    { value: 'looked at it', sys_created_at: '2019-05-01 10:00:00', sys_created_by: 'worker' },
    { value: 'done', sys_created_at: '2019-05-02 09:30:00', sys_created_by: 'moscow', sys_id: '150000000000000009' },
  ],
}
const fields =
  'sys_id,number,state,opened_at,closed_at,closed_by,active,state_changed_at,sys_created_at,sys_created_by,sys_updated_at,sys_updated_by'
const moved = {
  sys_id: '150000000000000001',
  number: 'INC0005000',
  state: '10',
  opened_at: '2019-05-01 08:00:00',
  closed_at: '2019-05-02 09:30:00',
  closed_by: '201',
  active: false,
  state_changed_at: null,
  sys_created_at: '2019-05-01 08:00:01',
  sys_created_by: '202',
  sys_updated_at: '2019-05-02 09:30:02',
  sys_updated_by: '201',
}
const entries = () =>
  stage.run(sql`select record_id, column_name, value, sys_created_at::text as at, sys_created_by::text as by from docket.sys_journal_entry
    where record_id = '150000000000000001' order by sys_created_at`)
const entry = (value: string, at: string, by: string) => ({
  record_id: old.sys_id,
  column_name: 'work_notes',
  value,
  at,
  by,
})

test('migrate=1 takes the display values of every type (issue 8, B3)', async () => {
  const displayed = {
    title: 'displayed',
    c_duration: '2 d 3 h',
    c_days: 'Monday, Пятница',
    c_percent: '45%',
    c_boolean: 'Yes',
    c_decimal: '1,234.50',
    c_choice: 'Ten',
    c_reference: 'Rita Reader',
    c_users: 'Rita Reader, worker',
    c_datetime: '2026-03-01 22:30:00',
    c_text: '1 h',
  }
  expect(await load('admin', 'probe', 'migrate=1', [displayed])).toMatchObject({ data: { inserted: 1, failed: 0 } })
  const fields = Object.keys(displayed).join(',')
  const { data } = await read(
    `/rest/v1/table/probe?sysparm_query=title=displayed&sysparm_fields=${fields}&sysparm_exclude_reference_link=1`,
  )
  expect(data).toEqual([
    {
      ...displayed,
      c_duration: '183600000',
      c_days: 17,
      c_percent: 45,
      c_boolean: true,
      c_decimal: '1234.50',
      c_choice: '10',
      c_reference: '202',
      c_users: '202,201',
    },
  ])
})

test('migrate=1 keeps ids, numbers, times, authors, states and journals; the log says that it was a migration (issue 8, B3)', async () => {
  expect(await load('admin', 'itsm_incident', 'migrate=1&key=sys_id', [old])).toMatchObject({
    status: 200,
    data: { inserted: 1, failed: 0, errors: [], ignored_columns: [] },
  })
  expect(await incidents('number=INC0005000', fields)).toEqual([moved])
  const notes = [entry('looked at it', '2019-05-01 10:00:00', '201'), entry('done', '2019-05-02 09:30:00', '204')]
  expect(await entries()).toEqual(notes)
  const history = await read(`/rest/v1/history/itsm_incident/${old.sys_id}`)
  expect(history.data).toMatchObject([
    {
      operation: 'create',
      migrated: true,
      changed_at: '2026-03-02 10:00:00',
      changed_by: { value: '155931135900000001' },
    },
  ])
  // The same import again changes nothing and creates no duplicates.
  expect(await load('admin', 'itsm_incident', 'migrate=1&key=sys_id', [old])).toMatchObject({
    data: { updated: 1, failed: 0, errors: [] },
  })
  expect(await incidents('number=INC0005000', fields)).toEqual([moved])
  expect(await entries()).toEqual(notes)
  // A state that the state model does not allow, on an existing record.
  const again = { sys_id: old.sys_id, state: '2', sys_updated_at: '2019-05-03 00:00:00' }
  expect(await load('admin', 'itsm_incident', 'migrate=1&key=sys_id', [again])).toMatchObject({
    data: { updated: 1, errors: [] },
  })
  expect(await incidents('number=INC0005000', 'state,sys_updated_at')).toEqual([
    { state: '2', sys_updated_at: '2019-05-03 00:00:00' },
  ])
  const created = await stage.send('worker', 'POST /rest/v1/table/itsm_incident?sysparm_fields=number', {
    body: { subject: 'next' },
  })
  expect((created.body as { data: unknown }).data).toEqual([{ number: 'INC0005001' }])
})

test('without migrate=1 the server fills what it fills, and a change is no migration (issue 8, B3)', async () => {
  const response = await load('admin', 'itsm_incident', '', [
    { subject: 'plain', sys_created_at: '2019-05-01 08:00:01', number: 'INC0007000' },
  ])
  expect(response).toMatchObject({ data: { inserted: 1, ignored_columns: ['number', 'sys_created_at'] } })
  const [row] = await incidents('subject=plain', 'sys_id,sys_created_at')
  expect(row?.['sys_created_at']).toBe('2026-03-02 10:00:00')
  expect((await read(`/rest/v1/history/itsm_incident/${String(row?.['sys_id'])}`)).data).toEqual([
    expect.not.objectContaining({ migrated: true }),
  ])
})

test('only an administrator migrates (issue 8, B3)', async () => {
  const before = await stage.fingerprint()
  for (const who of ['worker', 'nobody'] as const)
    expect(await load(who, 'itsm_incident', 'migrate=1', [old])).toMatchObject({
      status: 403,
      errors: [{ code: 'ACCESS_DENIED' }],
    })
  expect(await stage.fingerprint()).toBe(before)
})

test('rows of a migration may name records that stand further down (issue 8, B3)', async () => {
  const chain = Array.from({ length: 600 }, (_, n) => ({
    sys_id: `1500000000010${String(n).padStart(5, '0')}`,
    subject: `chain ${n}`,
    ...(n === 599
      ? {}
      : {
          parent_id:
            n % 2 === 0
              ? `1500000000010${String(n + 1).padStart(5, '0')}`
              : `1500000000010${String(n - 1).padStart(5, '0')}`,
        }),
  })).map((row, n) => (n % 2 === 1 ? { ...row, parent_id: null } : row))
  const response = await load('admin', 'task', 'migrate=1', [
    ...chain,
    { subject: 'chain bad', parent_id: '150000000009999999' },
  ])
  expect(response).toMatchObject({ data: { inserted: 600, failed: 1, errors: [{ line: 601, field: 'parent_id' }] } })
})

test('an entry that cannot be read, or an author that nobody is, loses its row only (issue 8, B3)', async () => {
  const response = await load('admin', 'itsm_incident', 'migrate=1', [
    { subject: 'entry 1', work_notes: [{ text: 'x' }] },
    { subject: 'entry 2', work_notes: [{ value: 'x', sys_created_at: 'yesterday' }] },
    { subject: 'entry 3', work_notes: [{ value: 'x', sys_created_by: 'nobody.at.all' }] },
    { subject: 'entry 4', work_notes: 'a text' },
  ])
  expect(response).toMatchObject({
    data: {
      inserted: 1,
      errors: [
        { line: 1, field: 'work_notes', message: expect.stringContaining('an entry has no text') },
        { line: 2, field: 'work_notes' },
        { line: 3, field: 'work_notes', message: expect.stringContaining('no record of user is called') },
      ],
    },
  })
})
