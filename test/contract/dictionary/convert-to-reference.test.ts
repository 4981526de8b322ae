import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage } from '../records/fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
  const create = async (table: string, body: object): Promise<string> => {
    const { body: made } = await stage.send('admin', `POST /rest/v1/table/${table}?sysparm_fields=sys_id`, { body })
    return (made as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
  }
  await create('sys_db_table', { name: 'visit', title: 'Visits' })
  const [row] = (await stage.run(sql`select t.sys_id::text as "table", y.sys_id::text as type
    from docket.sys_db_table t, docket.sys_db_column_type y where t.name = 'visit' and y.name = 'string'`)) as readonly Record<
    string,
    string
  >[]
  for (const name of ['city', 'phone'])
    await create('sys_db_column', {
      table_id: row?.['table'],
      column_name: name,
      title: name,
      column_type_id: row?.['type'],
    })
  await create('visit', { city: '301', phone: '301' })
  await create('visit', { city: '302', phone: '999' })
})
afterAll(() => stage.close())

async function convert(column: string, confirm = '', type = 'reference') {
  const [row] = (await stage.run(sql`select c.sys_id::text as id, y.sys_id::text as type, k.sys_id::text as company
    from docket.sys_db_column c join docket.sys_db_table t on t.sys_id = c.table_id and t.name = 'visit',
      docket.sys_db_column_type y, docket.sys_db_table k
    where c.column_name = ${column} and y.name = ${type} and k.name = 'company'`)) as readonly Record<string, string>[]
  return stage.send('admin', `PATCH /rest/v1/table/sys_db_column/${row?.['id']}${confirm}`, {
    body: { column_type_id: row?.['type'], reference_id: row?.['company'] },
  })
}
const values = (column: string) =>
  stage.run(sql`select ${sql.id(column)}::text as value from docket.visit order by sys_id`)

test('texts become references to a table that has a column of the same name', async () => {
  expect((await convert('city')).status).toBe(200)
  expect(await values('city')).toEqual([{ value: '301' }, { value: '302' }])
})

test('only texts that are no sys_id of the table are lost, and only when that is confirmed', async () => {
  const rejected = await convert('phone')
  expect([rejected.status, JSON.stringify(rejected.body)]).toEqual([
    409,
    expect.stringContaining('1 values that cannot be converted to reference of visit.phone'),
  ])
  expect((await convert('phone', '?sysparm_confirm=visit.phone')).status).toBe(200)
  expect(await values('phone')).toEqual([{ value: '301' }, { value: null }])
})

test('members of a list are sys_ids of a table that has a column `member`', async () => {
  await stage.run(sql`select docket_system.define_column('company', 'member', 'string', 'Member', 'Член', '{}'::jsonb)`)
  const list = { find: { name: 'list' } }
  const column = {
    table_id: { find: { name: 'visit' } },
    column_name: 'companies',
    title: 'Companies',
    column_type_id: list,
  }
  expect((await stage.send('admin', 'POST /rest/v1/table/sys_db_column', { body: column })).status).toBe(200)
  await stage.run(
    sql`update docket.visit set companies = case city::text when '301' then '{301,302}' else '{999}' end::text[]`,
  )
  const rejected = await convert('companies', '', 'list')
  expect([rejected.status, JSON.stringify(rejected.body)]).toEqual([
    409,
    expect.stringContaining('1 values that cannot be converted to list of visit.companies'),
  ])
  expect((await convert('companies', '?sysparm_confirm=visit.companies', 'list')).status).toBe(200)
  expect(await values('companies')).toEqual([{ value: '{301,302}' }, { value: null }])
})
