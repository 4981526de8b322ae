import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admin } from '../../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../../harness/start-docket.ts'

let docket: RunningDocket
let property: string
let widget: string
beforeAll(async () => {
  docket = await startDocket()
  property = await sysIdOf('GET /rest/v1/table/sys_property?sysparm_query=name=rest.table_names&sysparm_fields=sys_id')
  const table = await sysIdOf('POST /rest/v1/table/sys_db_table?sysparm_fields=sys_id', {
    name: 'widget',
    title: 'Widgets',
  })
  for (const column_name of ['template', 'css', 'server_script', 'client_script']) {
    await send('POST /rest/v1/table/sys_db_column', {
      table_id: table,
      column_name,
      title: column_name,
      column_type_id: '29',
    })
  }
  widget = await sysIdOf('POST /rest/v1/table/widget?sysparm_fields=sys_id', { template: '<b>1</b>' })
})
afterAll(() => docket.close())

async function send(line: string, body?: unknown) {
  const [method = '', ...path] = line.split(' ')
  const { status, body: response } = await docket.request(method, path.join(' '), {
    as: admin,
    ...(body === undefined ? {} : { body }),
  })
  return { status, body: response }
}

async function sysIdOf(line: string, body?: unknown): Promise<string> {
  const response = await send(line, body)
  return String((response.body as { readonly data: readonly { readonly sys_id: string }[] }).data[0]?.sys_id)
}

const setNames = (value: string) =>
  send(`PATCH /rest/v1/table/sys_property/${property}?sysparm_fields=value`, { value })
const FIELDS = 'sysparm_fields=sys_id,template,css'
const noTable = (name: string, more = '') => ({
  status: 404,
  body: expect.objectContaining({
    errors: [{ message: `There is no table ${name}.${more}`, code: 'TABLE_NOT_FOUND' }],
  }),
})

describe('names of SimpleOne for tables of one’s own (issue 10)', () => {
  test('without the property a client that asks for sys_widget gets 404', async () => {
    expect(await send(`GET /rest/v1/table/sys_widget/${widget}`)).toEqual(
      noTable('sys_widget', ' Did you mean widget?'),
    )
  })

  test('the property gives a table a further name in every path', async () => {
    expect(await setNames('sys_widget = widget, sys_rmc_model=company')).toEqual({
      status: 200,
      body: { status: 'OK', data: [{ value: 'sys_widget = widget, sys_rmc_model=company' }] },
    })
    const path = `/rest/v1/table/sys_widget/${widget}`
    const saved = { status: 200, body: { status: 'OK', data: [{ sys_id: widget, template: '<i>2</i>', css: 'i {}' }] } }
    expect(await send(`PUT ${path}?${FIELDS}`, { template: '<i>2</i>', css: 'i {}', client_script: '' })).toEqual(saved)
    expect(await send(`GET ${path}?${FIELDS}`)).toEqual(saved)
    expect(await send(`GET /rest/v1/table/widget/${widget}?${FIELDS}`)).toEqual(saved)
    expect(await send(`GET /rest/v1/table/sys_widget?sysparm_query=templateLIKE2&${FIELDS}`)).toEqual(saved)
    const other = await sysIdOf('POST /rest/v1/table/sys_widget?sysparm_fields=sys_id', { template: 'x' })
    expect((await send(`GET /rest/v1/history/sys_widget/${other}`)).status).toBe(200)
    expect(await send(`DELETE /rest/v1/table/sys_widget/${other}`)).toMatchObject({ status: 200 })
    expect((await send('GET /rest/v1/table/sys_rmc_model?sysparm_fields=sys_id')).status).toBe(200)
    expect(await send('GET /rest/v1/table/sys_script')).toEqual(noTable('sys_script'))
  })

  test.each([
    ['sys_widget', 'there is no table '],
    ['sys_widget=widgets', 'there is no table widgets'],
    ['Sys Widget=widget', 'entries such as sys_widget=widget are expected, found Sys Widget'],
    ['task=widget', 'task is a table of its own'],
  ])('%s is rejected', async (value, says) => {
    const response = await setNames(value)
    expect(response.status).toBe(422)
    const [error] = (response.body as { errors: { message: string; field: string }[] }).errors
    expect(error).toMatchObject({ field: 'value', code: 'INVALID_VALUE' })
    expect(error?.message).toContain(says)
  })

  test('a table that goes takes its further names with it', async () => {
    await setNames('sys_widget=widget')
    const table = await sysIdOf('GET /rest/v1/table/sys_db_table?sysparm_query=name=widget&sysparm_fields=sys_id')
    expect((await send(`DELETE /rest/v1/table/sys_db_table/${table}?sysparm_confirm=widget`)).status).toBe(200)
    expect(await send(`GET /rest/v1/table/sys_widget/${widget}`)).toEqual(noTable('sys_widget'))
    expect((await setNames('')).status).toBe(200)
  })
})
