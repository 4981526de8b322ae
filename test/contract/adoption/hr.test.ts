import { afterAll, beforeAll, expect, test } from 'vitest'
import { adoptSchema } from '../../../src/adopt/adopt-schema.ts'
import { readEvents } from '../../harness/read-events.ts'
import { runCommand } from '../../harness/run-command.ts'
import { errorIn } from '../dictionary/dictionary-desk.ts'
import { type AdoptionDesk, openAdoptionDesk } from './adoption-desk.ts'

let desk: AdoptionDesk
beforeAll(async () => {
  desk = await openAdoptionDesk('hr')
})
afterAll(async () => {
  await desk.close()
})

const run = (...args: readonly string[]) =>
  runCommand({ DOCKET_DATABASE_URL: desk.docket.connectionString, DOCKET_DATA_DIR: desk.docket.dataDir }, [
    'adopt',
    ...args,
  ])

test('the command says what it would do, does it, and follows it with rules', async () => {
  const lines = [
    '+ hr_department (hr.department): 3 columns',
    '+ hr_employee (hr.employee): 6 columns',
    '+ job_history (hr.job_history): 3 columns',
  ]
  const hint =
    'Only administrators see new tables until rules say more: docket adopt --schema hr --grant read:ROLE, or rows of sys_security_acl.'
  const dry = await run('--schema', 'hr', '--dry-run')
  expect([dry.code, dry.output.trim().split('\n')]).toEqual([
    0,
    [...lines, 'This was a dry run: nothing was written.', hint],
  ])
  expect((await desk.send('GET /rest/v1/table/hr_employee')).status).toBe(404)
  const done = await run('--schema', 'hr', '--grant', 'read:user,write:user')
  expect([done.code, done.output.trim().split('\n')]).toEqual([
    0,
    [...lines, 'Done; served from now on.', 'Wrote 6 rules.'],
  ])
  expect((await desk.asUser('GET /rest/v1/table/hr_employee')).status).toBe(200)
  const again = await run('--schema', 'hr')
  expect(again.output.trim().split('\n')).toEqual(['Nothing has changed.'])
})

test('what cannot be adopted from is said in a sentence', async () => {
  const errors = async (...args: readonly string[]) => {
    const outcome = await run(...args)
    return [outcome.code === 0, outcome.errors.trim().split('\n').at(-1)]
  }
  expect(await errors('--schema', 'nowhere')).toEqual([false, 'There is no schema nowhere.'])
  expect(await errors('--schema', 'graphile_worker')).toEqual([
    false,
    "The schema graphile_worker belongs to Docket's job queue and cannot be adopted: name a schema with tables of your own.",
  ])
  expect(await errors('--schema', 'hr', '--tables', 'people')).toEqual([false, 'There is no table hr.people.'])
  expect(await errors('--schema', 'hr', '--grant', 'read:nobody')).toEqual([false, 'There is no role nobody.'])
})

test.each([
  ['docket', 'Docket'],
  ['docket_documents', 'Docket'],
  ['docket_system', 'Docket'],
  ['graphile_worker', "Docket's job queue"],
  ['information_schema', 'PostgreSQL'],
  ['pg_catalog', 'PostgreSQL'],
  ['pg_toast', 'PostgreSQL'],
])('the schema %s of %s is not adopted (issue 8, A10)', async (schema, owner) => {
  const wanted = { schema, tables: null, keys: new Map(), grants: [], isDryRun: true }
  expect(await adoptSchema(desk.docket.database, wanted)).toEqual({
    ok: false,
    error: {
      kind: 'conflict',
      detail: `The schema ${schema} belongs to ${owner} and cannot be adopted: name a schema with tables of your own.`,
    },
  })
})

test('whoever creates a record of a table without a default gives its key', async () => {
  const values = { last_name: 'Anders', salary: '100', hired: '2024-01-01', department_id: '10', manager_id: '100' }
  const without = await desk.send('POST /rest/v1/table/hr_employee', values)
  expect(errorIn(without)).toMatchObject({ status: 422 })
  expect(without.text).toContain('sys_id')
  const made = await desk.send('POST /rest/v1/table/hr_employee?sysparm_fields=sys_id,manager_id.last_name', {
    ...values,
    sys_id: '200',
  })
  expect((made.body as { data: unknown }).data).toEqual([{ sys_id: '200', 'manager_id.last_name': 'King' }])
  expect((await desk.send('POST /rest/v1/table/hr_employee', { ...values, sys_id: '200' })).status).toBe(409)
})

test('what checks and triggers of the database reject is the caller’s to mend', async () => {
  const negative = await desk.send('POST /rest/v1/table/hr_employee', {
    sys_id: '300',
    last_name: 'Below',
    salary: '-5',
    hired: '2024-01-01',
  })
  expect(errorIn(negative)).toMatchObject({ status: 422 })
  const fall = await desk.send('PATCH /rest/v1/table/hr_employee/101', { salary: '1' })
  expect([fall.status, fall.text.includes('salaries do not fall')]).toEqual([409, true])
  expect((await desk.send('PATCH /rest/v1/table/hr_employee/101', { salary: '8000.50' })).status).toBe(200)
  expect((await desk.send('DELETE /rest/v1/table/hr_employee/100')).status).toBe(409)
  expect((await desk.send('DELETE /rest/v1/table/hr_employee/200')).status).toBe(200)
  expect((await desk.send('GET /rest/v1/table/hr_employee/200')).status).toBe(404)
})

test('changes and deletions are events, with the rights of the record as it was', async () => {
  const positions =
    await desk.run(`select operation from docket_system.change c join docket.sys_db_table t on t.sys_id = c.table_id
    where t.name = 'hr_employee' order by position`)
  expect(positions.map((row) => row['operation'])).toEqual(['c', 'u', 'd'])
  const { docket } = desk
  const events = await readEvents(`${docket.baseUrl}/rest/v1/events?tables=hr_employee`, {
    authorization: `Basic ${Buffer.from('admin:admin-password').toString('base64')}`,
    'last-event-id': '0',
  })
  const seen = await events.until((all) => all.length >= 3)
  await events.close()
  const described = seen.map(({ data }) => data as { readonly operation: string; readonly sys_id: string })
  expect(described.map(({ operation, sys_id }) => [operation, sys_id])).toEqual([
    ['create', '200'],
    ['update', '101'],
    ['delete', '200'],
  ])
})

test('a write of equal values updates the row: what its triggers do then is for its owner to decide', async () => {
  await desk.run('create table hr.updates (employee integer)')
  await desk.run(`create function hr.log_update() returns trigger language plpgsql as $$
    begin
      insert into hr.updates values (new.employee_id);
      if new.last_name = 'Kochhar' then new.last_name := 'Kochhar-Smith'; end if;
      return new;
    end $$`)
  await desk.run('create trigger log_update before update on hr.employee for each row execute function hr.log_update()')
  const changes = async () => (await desk.run('select position from docket_system.change')).length
  const write = async (lastName: string) => {
    const before = await changes()
    const line = 'PATCH /rest/v1/table/hr_employee/101?sysparm_fields=last_name'
    const { status, body } = await desk.send(line, { last_name: lastName })
    return [status, (body as { data: unknown }).data, (await changes()) - before]
  }
  const updates = async () => (await desk.run('select employee from hr.updates')).length
  expect(await write('Kochhar')).toEqual([200, [{ last_name: 'Kochhar-Smith' }], 1])
  expect(await updates()).toBe(1)
  expect(await write('Kochhar-Smith')).toEqual([200, [{ last_name: 'Kochhar-Smith' }], 0])
  expect(await updates()).toBe(2)
})
