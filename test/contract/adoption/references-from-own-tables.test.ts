import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorIn } from '../dictionary/dictionary-desk.ts'
import { type AdoptionDesk, openAdoptionDesk, shapeOf } from './adoption-desk.ts'

let desk: AdoptionDesk
let before: unknown
beforeAll(async () => {
  desk = await openAdoptionDesk('ledger')
  await desk.adopt()
  before = await desk.run(shapeOf('ledger'))
  await made('sys_db_table', { name: 'loan', title: 'Loan' })
  for (const [name, target] of Object.entries(TARGETS)) {
    await made('sys_db_column', {
      table_id: { find: { name: 'loan' } },
      column_name: name,
      title: name,
      column_type_id: { find: { name: 'reference' } },
      reference_id: { find: { name: target } },
    })
  }
})
afterAll(() => desk.close())

const TARGETS = { by_number: 'entry', by_text: 'customer', by_uuid: 'device', by_parts: 'line' } as const
const IDS = { by_number: '2', by_text: 'B/2', by_uuid: '6b0a6f6e-7b0c-4f43-9c0e-000000000001', by_parts: '1~2' }
const NAMES = { by_number: 'ten', by_text: 'Boris', by_uuid: 'Printer', by_parts: 'Paper' }

const dataOf = async (line: string, body?: unknown) => {
  const response = await desk.send(line, body)
  return response.status === 200 ? (response.body as { data: unknown }).data : errorIn(response)
}
async function made(table: string, body: unknown): Promise<string> {
  const data = await dataOf(`POST /rest/v1/table/${table}`, body)
  expect(data).toMatchObject([{ sys_id: expect.any(String) }])
  return (data as [{ sys_id: string }])[0].sys_id
}
const fields = `sysparm_fields=${Object.keys(TARGETS).join(',')}`
const plain = 'sysparm_exclude_reference_link=1'

describe('a reference of an own table to an adopted one (issue 8, B9)', () => {
  test('is written, read, displayed, walked and found, whatever the key is', async () => {
    const id = await made('loan', IDS)
    expect(await dataOf(`GET /rest/v1/table/loan/${id}?${fields}&${plain}`)).toEqual([IDS])
    expect(await dataOf(`GET /rest/v1/table/loan/${id}?sysparm_fields=by_text`)).toEqual([
      { by_text: { value: 'B/2', link: expect.stringMatching(/\/rest\/v1\/table\/customer\/B%2F2$/) } },
    ])
    expect(await dataOf(`GET /rest/v1/table/loan/${id}?${fields}&${plain}&sysparm_display_value=1`)).toEqual([NAMES])
    expect(
      await dataOf(
        `GET /rest/v1/table/loan/${id}?sysparm_fields=by_number.title,by_text.name,by_uuid.name,by_parts.name`,
      ),
    ).toEqual([
      { 'by_number.title': 'ten', 'by_text.name': 'Boris', 'by_uuid.name': 'Printer', 'by_parts.name': 'Paper' },
    ])
    for (const query of [
      ...Object.entries(IDS).map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
      'by_text.name=boris',
      'by_partsLIKEpap',
    ]) {
      expect([query, await dataOf(`GET /rest/v1/table/loan?sysparm_fields=sys_id&sysparm_query=${query}`)]).toEqual([
        query,
        [{ sys_id: id }],
      ])
    }
    expect(await dataOf(`GET /rest/v1/stats/loan?sysparm_group_by=by_text,by_uuid&${plain}`)).toEqual([
      { group: { by_text: 'B/2', by_uuid: IDS.by_uuid }, count: 1 },
    ])
    await dataOf(`DELETE /rest/v1/table/loan/${id}`)
  })

  test('is checked when it is written', async () => {
    const missing = { by_number: '99', by_text: 'Z', by_uuid: IDS.by_uuid.replace('1', '2'), by_parts: '1~3' }
    for (const [name, value] of Object.entries(missing)) {
      expect(await dataOf('POST /rest/v1/table/loan', { [name]: value })).toMatchObject({
        field: name,
        message: `The value of ${name} is rejected: there is no such record in ${TARGETS[name as keyof typeof TARGETS]}.`,
      })
    }
    expect(await dataOf('POST /rest/v1/table/loan', { by_text: { find: { name: 'Anna' } } })).toMatchObject([
      { by_text: { value: 'A-1' } },
    ])
  })

  test('leaves the adopted tables as they were', async () => {
    expect(await desk.run(shapeOf('ledger'))).toEqual(before)
  })

  test('to a record that somebody else deleted keeps its value and shows nothing', async () => {
    await desk.run(`insert into ledger.customer values ('C', 'Clara')`)
    const id = await made('loan', { by_text: 'C' })
    await desk.run(`delete from ledger.customer where code = 'C'`)
    const record = `/rest/v1/table/loan/${id}?sysparm_fields=by_text,by_text.name&${plain}`
    expect(await dataOf(`GET ${record}&sysparm_display_value=all`)).toEqual([
      { by_text: { value: 'C', display_value: null }, 'by_text.name': { value: null, display_value: null } },
    ])
    expect(await dataOf(`PUT ${record}`, { by_text: 'C' })).toEqual([{ by_text: 'C', 'by_text.name': null }])
    expect(await dataOf(`PUT ${record}`, { by_text: 'D' })).toMatchObject({ field: 'by_text' })
  })

  test('keeps its table and type', async () => {
    const [column] = (await dataOf(
      'GET /rest/v1/table/sys_db_column?sysparm_query=column_name=by_text&sysparm_fields=sys_id',
    )) as [{ sys_id: string }]
    const change = { reference_id: { find: { name: 'device' } } }
    expect(await dataOf(`PATCH /rest/v1/table/sys_db_column/${column.sys_id}`, change)).toMatchObject({
      field: 'reference_id',
    })
  })
})
