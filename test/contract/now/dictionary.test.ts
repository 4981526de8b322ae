import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage, type Who } from '../records/fixture.ts'

const PREFIX = 'c0ffee0123456789'
const idOf = (sysId: number | bigint): string => PREFIX + sysId.toString(16).padStart(16, '0')

let stage: Stage
beforeAll(async () => {
  stage = await setStage([sql`update docket_system.served_id set prefix = ${PREFIX}`])
})
afterAll(() => stage.close())

type Row = Readonly<Record<string, string>>
const call = async (line: string, { as = 'admin' as Who, body }: { as?: Who; body?: unknown } = {}) => {
  const response = await stage.send(as, line, body === undefined ? {} : { body })
  return { status: response.status, body: response.body }
}
const list = async (table: string, query: string, fields: string): Promise<readonly Row[]> => {
  const path = `/api/now/table/${table}?sysparm_query=${encodeURIComponent(query)}&sysparm_fields=${fields}`
  const { status, body } = await call(`GET ${path}`)
  expect({ query, status, body }).toMatchObject({ status: 200 })
  return (body as { readonly result: readonly Row[] }).result
}

describe('sys_choice (issue 15, section 3)', () => {
  test('lists the states of each table as this API shows them, in both languages', async () => {
    const query = 'nameINincident,task^element=state^ORDERBYname^ORDERBYlanguage^ORDERBYsequence'
    const rows = await list('sys_choice', query, 'name,element,value,label,language,sequence,inactive,dependent_value')
    const row = (name: string, language: string) => (each: readonly [string, string], at: number) => ({
      name,
      element: 'state',
      value: each[0],
      label: each[1],
      language,
      sequence: String((at + 1) * 100),
      inactive: 'false',
      dependent_value: '',
    })
    const expected = [
      ...(
        [
          ['1', 'New'],
          ['2', 'In Progress'],
          ['3', 'On Hold'],
          ['6', 'Resolved'],
          ['7', 'Closed'],
          ['8', 'Canceled'],
        ] as const
      ).map(row('incident', 'en')),
      ...(
        [
          ['1', 'Новый'],
          ['2', 'В работе'],
          ['3', 'Приостановлен'],
          ['6', 'Решён'],
          ['7', 'Закрыт'],
          ['8', 'Отменён'],
        ] as const
      ).map(row('incident', 'ru')),
      ...(
        [
          ['-5', 'Pending'],
          ['1', 'Open'],
          ['2', 'Work in Progress'],
          ['3', 'Closed Complete'],
          ['4', 'Closed Incomplete'],
        ] as const
      ).map(row('task', 'en')),
      ...(
        [
          ['-5', 'Ожидание'],
          ['1', 'Открыта'],
          ['2', 'В работе'],
          ['3', 'Закрыта, выполнена'],
          ['4', 'Закрыта, не выполнена'],
        ] as const
      ).map(row('task', 'ru')),
    ]
    const inOrder = (all: readonly Row[]) => all.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    expect(inOrder(rows)).toEqual(inOrder(expected))
  })

  test.each([
    ['problem', 'state', '101,102,103,104,106,107'],
    ['change_request', 'state', '-5,-4,-3,-2,-1,0,3,4'],
    ['task', 'approval', 'not requested,requested,approved,rejected,cancelled'],
    ['incident', 'hold_reason', '1,3,4,5'],
  ])('lists the values of %s.%s', async (table, element, values) => {
    const rows = await list(
      'sys_choice',
      `name=${table}^element=${element}^language=en^ORDERBYsequence^ORDERBYsys_id`,
      'value',
    )
    expect(rows.map(({ value }) => value).join()).toBe(values)
  })

  test('each row has a sys_id that leads to it, and the whole record reads like a record', async () => {
    const [{ sys_id: sysId = '' } = {}] = await list(
      'sys_choice',
      'name=incident^element=state^value=6^language=en',
      'sys_id',
    )
    expect(await call(`GET /api/now/table/sys_choice/${sysId}?sysparm_display_value=false`)).toEqual({
      status: 200,
      body: {
        result: {
          sys_id: sysId,
          sys_class_name: 'sys_choice',
          sys_created_on: expect.stringMatching(/^\d{4}-/),
          sys_created_by: '',
          sys_updated_on: expect.stringMatching(/^\d{4}-/),
          sys_updated_by: '',
          sys_mod_count: '0',
          sys_domain: 'global',
          sys_domain_path: '/',
          sys_tags: '',
          name: 'incident',
          element: 'state',
          value: '6',
          label: 'Resolved',
          language: 'en',
          sequence: '400',
          inactive: 'false',
          dependent_value: '',
        },
      },
    })
    const all = await list('sys_choice', 'ORDERBYsys_id', 'sys_id')
    expect(new Set(all.map((each) => each['sys_id'])).size).toBe(all.length)
    const read: string[] = []
    for (let page = await list('sys_choice', 'ORDERBYsys_id', 'sys_id&sysparm_limit=100'); page.length > 0; ) {
      read.push(...page.map((each) => each['sys_id'] ?? ''))
      page = await list('sys_choice', `sys_id>${read.at(-1)}^ORDERBYsys_id`, 'sys_id&sysparm_limit=100')
    }
    expect(read).toEqual(all.map((each) => each['sys_id']))
  })

  test('a choice that an administrator adds is listed with them; rows of this API cannot be changed', async () => {
    const made = await call('POST /rest/v1/table/sys_choice?sysparm_fields=sys_id', {
      body: {
        table_id: await native('task'),
        column_id: await nativeColumn('state'),
        value: '77',
        title: 'Elsewhere',
        language: 'en',
      },
    })
    expect(made).toMatchObject({ status: 200 })
    expect(await list('sys_choice', 'element=state^value=77', 'name,value,label')).toEqual([
      { name: 'task', value: '77', label: 'Elsewhere' },
    ])
    const [{ sys_id: sysId = '' } = {}] = await list('sys_choice', 'name=incident^element=state^value=6', 'sys_id')
    expect(await call(`PATCH /api/now/table/sys_choice/${sysId}`, { body: { label: 'Done' } })).toMatchObject({
      status: 404,
    })
    const nativeRows = await call(
      'GET /rest/v1/table/sys_choice?sysparm_query=column_id.column_name=state^table_id.name=task^language=en^ORDERBYorder&sysparm_fields=value',
    )
    expect((nativeRows.body as { readonly data: readonly Row[] }).data.map(({ value }) => value)).toContain('10')
  })
})

const native = async (table: string): Promise<string> => {
  const [row] = (await stage.run(sql`select sys_id::text as id from docket.sys_db_table where name = ${table}`)) as {
    id: string
  }[]
  return row?.id ?? ''
}
const nativeColumn = async (column: string): Promise<string> => {
  const [row] =
    (await stage.run(sql`select c.sys_id::text as id from docket.sys_db_column c join docket.sys_db_table t on t.sys_id = c.table_id
    where t.name = 'task' and c.column_name = ${column}`)) as { id: string }[]
  return row?.id ?? ''
}

describe('sys_dictionary (issue 15, sections 3 and 11)', () => {
  test('has a row for each table, found by the words of this API', async () => {
    const query = 'internal_type=collection^nameINincident,sys_user,core_company^ORDERBYname'
    expect(await list('sys_dictionary', query, 'name,element,internal_type,reference,column_label')).toEqual([
      { name: 'core_company', element: '', internal_type: 'collection', reference: '', column_label: 'Companies' },
      { name: 'incident', element: '', internal_type: 'collection', reference: '', column_label: 'Incidents' },
      { name: 'sys_user', element: '', internal_type: 'collection', reference: '', column_label: 'Users' },
    ])
    expect(await list('sys_dictionary', 'name=incident^element=', 'name,element')).toEqual([
      { name: 'incident', element: '' },
    ])
    expect(await list('sys_dictionary', 'name=incident^referenceISNOTEMPTY', 'element')).toEqual([])
    expect((await list('sys_dictionary', 'name=incident^referenceISEMPTY^elementISNOTEMPTY', 'element')).length).toBe(5)
    const tables = await list('sys_db_object', 'ORDERBYname', 'name')
    const collections = await list('sys_dictionary', 'elementISEMPTY', 'name')
    expect(collections.map(({ name }) => name).toSorted()).toEqual(tables.map(({ name }) => name).toSorted())
  })

  test('has types and references as records of this API have them', async () => {
    const query =
      'name=incident^ORname=task^elementINsys_created_by,sys_class_name,caller_id,state,opened_at,description,hold_reason^ORDERBYelement'
    expect(await list('sys_dictionary', query, 'name,element,internal_type,reference')).toEqual([
      { name: 'task', element: 'caller_id', internal_type: 'reference', reference: 'sys_user' },
      { name: 'task', element: 'description', internal_type: 'string', reference: '' },
      { name: 'incident', element: 'hold_reason', internal_type: 'choice', reference: '' },
      { name: 'task', element: 'opened_at', internal_type: 'glide_date_time', reference: '' },
      { name: 'task', element: 'state', internal_type: 'choice', reference: '' },
      { name: 'task', element: 'sys_class_name', internal_type: 'string', reference: '' },
      { name: 'task', element: 'sys_created_by', internal_type: 'string', reference: '' },
    ])
    expect(await list('sys_dictionary', 'internal_typeISEMPTY', 'name,element')).toEqual([])
    expect(await list('sys_dictionary', 'name=task^reference=sys_user_group', 'element')).toEqual([
      { element: 'assignment_group' },
    ])
  })

  test('a whole row of a table', async () => {
    const sysId = idOf(BigInt(await native('company')))
    const { body } = await call(`GET /api/now/table/sys_dictionary/${sysId}?sysparm_exclude_reference_link=true`)
    expect(body).toMatchObject({
      result: {
        sys_id: sysId,
        sys_class_name: 'sys_dictionary',
        name: 'core_company',
        element: '',
        active: 'true',
        mandatory: 'false',
      },
    })
  })

  test('sys_glide_object and sys_db_object have the names of this API', async () => {
    expect(await list('sys_glide_object', 'name=glide_date_time', 'name,label')).toEqual([
      { name: 'glide_date_time', label: expect.any(String) },
    ])
    expect(await list('sys_db_object', 'name=incident', 'name,label,super_class.name')).toEqual([
      { name: 'incident', label: 'Incidents', 'super_class.name': 'itsm_task' },
    ])
  })
})
