import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { explainList } from '../../harness/explain-list.ts'
import { errorIn } from '../dictionary/dictionary-desk.ts'
import { type AdoptionDesk, openAdoptionDesk } from './adoption-desk.ts'

let desk: AdoptionDesk
beforeAll(async () => {
  desk = await openAdoptionDesk('ledger')
  await desk.adopt()
})
afterAll(() => desk.close())

const dataOf = async (line: string, body?: unknown) => {
  const response = await desk.send(line, body)
  return response.status === 200 ? (response.body as { data: unknown }).data : errorIn(response)
}
const path = '/rest/v1/table/entry'
const found = async (query: string) =>
  ((await dataOf(`GET ${path}?sysparm_fields=sys_id&sysparm_query=${query}`)) as { sys_id: string }[]).map(
    ({ sys_id: id }) => Number(id),
  )

describe('a numeric of any scale (issue 8, B6)', () => {
  test('is read with all of its digits, as a text', async () => {
    expect(await dataOf(`GET ${path}?sysparm_fields=n,rate&sysparm_query=ORDERBYsys_id`)).toEqual([
      { n: '9', rate: '1.5000' },
      { n: '10', rate: '-0.0001' },
      { n: '100', rate: null },
      { n: '0.1000000000000000000001', rate: '12345678.9000' },
      { n: 'NaN', rate: '0.0000' },
      { n: null, rate: '2.0000' },
    ])
    expect(await dataOf(`GET ${path}/4?sysparm_fields=n,rate&sysparm_display_value=1`)).toEqual([
      { n: '0.1000000000000000000001', rate: '12,345,678.9000' },
    ])
  })

  test.each([
    ['n>5^ORDERBYsys_id', [1, 2, 3, 5]],
    ['n=10.0', [2]],
    ['n=0.1000000000000000000001', [4]],
    ['n=0.1', []],
    ['nIN9,100^ORDERBYsys_id', [1, 3]],
    ['nBETWEEN9@10^ORDERBYsys_id', [1, 2]],
    ['n=NaN', [5]],
    ['nISEMPTY', [6]],
    ['nISNOTEMPTY^ORDERBYn', [4, 1, 2, 3, 5]],
    ['rate<0', [2]],
  ] as const)('%s is a question about numbers', async (query, ids) => {
    expect(await found(query)).toEqual(ids)
  })

  test('is summed, and has means and extremes', async () => {
    const query =
      'sysparm_query=sys_idIN1,2,3&sysparm_sum_fields=n&sysparm_avg_fields=n,rate&sysparm_min_fields=n&sysparm_max_fields=n'
    expect(await dataOf(`GET /rest/v1/stats/entry?${query}`)).toEqual([
      {
        group: {},
        count: 3,
        sum: { n: '119' },
        avg: { n: expect.stringMatching(/^39\.6666666666/), rate: '0.74995' },
        min: { n: '9' },
        max: { n: '100' },
      },
    ])
    expect(await dataOf('GET /rest/v1/stats/entry?sysparm_sum_fields=n')).toEqual([
      { group: {}, count: 6, sum: { n: 'NaN' } },
    ])
  })

  test('is written and incremented exactly', async () => {
    const write = (body: unknown) => dataOf(`PATCH ${path}/6?sysparm_fields=n,rate`, body)
    expect(await write({ n: '123456789012345678901234567890.000000000000000000001', rate: 0.25 })).toEqual([
      { n: '123456789012345678901234567890.000000000000000000001', rate: '0.2500' },
    ])
    expect(await write({ n: { increment: '0.1' }, rate: { increment: '-0.0001' } })).toEqual([
      { n: '123456789012345678901234567890.100000000000000000001', rate: '0.2499' },
    ])
    expect(await write({ n: 'Infinity' })).toEqual([{ n: 'Infinity', rate: '0.2499' }])
    expect(await write({ rate: '1.23456' })).toMatchObject({
      field: 'rate',
      message:
        'The value of rate is rejected: a number with at most 8 digits before and 4 behind the point is expected, found "1.23456".',
    })
    expect(await write({ n: 0.30000000000000004 })).toMatchObject({
      field: 'n',
      message:
        'The value of n is rejected: a number of more digits than JSON keeps is written as a text, found 0.30000000000000004.',
    })
    expect(await write({ rate: '123456789' })).toMatchObject({ field: 'rate' })
    expect(await write({ rate: 'NaN' })).toMatchObject({ field: 'rate' })
    expect(await write({ n: 'many' })).toMatchObject({
      field: 'n',
      message: 'The value of n is rejected: a number is expected, found "many".',
    })
  })

  test('is sent back as it was read', async () => {
    for (const id of [1, 2, 3, 4, 5]) {
      const [record] = (await dataOf(`GET ${path}/${id}`)) as [Record<string, unknown>]
      expect(await dataOf(`PUT ${path}/${id}`, record)).toEqual([record])
    }
  })

  test('with fewer than two digits behind the point is not rounded', async () => {
    await desk.run(
      `create table ledger.stock (id integer primary key, pieces numeric(5,0), hours numeric(5,1), price numeric(5,2));
       insert into ledger.stock values (1, 3, 1.5, 2.25)`,
    )
    await desk.adopt()
    const stock = '/rest/v1/table/stock/1?sysparm_exclude_reference_link=1'
    const stored = { sys_id: '1', pieces: '3', hours: '1.5', price: '2.25' }
    expect(await dataOf(`GET ${stock}`)).toEqual([stored])
    const write = (body: unknown) => dataOf(`PATCH ${stock}`, body)
    const rejected = (field: string, max: number, scale: number, found: string) => ({
      status: 422,
      code: 'INVALID_VALUE',
      field,
      message: `The value of ${field} is rejected: a number with at most ${max} digits before and ${scale} behind the point is expected, found ${found}.`,
    })
    expect(await write({ pieces: 1.5 })).toEqual(rejected('pieces', 5, 0, '1.5'))
    expect(await write({ pieces: '1.5' })).toEqual(rejected('pieces', 5, 0, '"1.5"'))
    expect(await write({ pieces: { increment: 0.5 } })).toEqual(rejected('pieces', 5, 0, '0.5'))
    expect(await write({ hours: 1.55 })).toEqual(rejected('hours', 4, 1, '1.55'))
    expect(await dataOf(`GET ${stock}`)).toEqual([stored])
    expect(await write({ pieces: '12.00', hours: '2.50', price: 3 })).toEqual([
      { sys_id: '1', pieces: '12', hours: '2.5', price: '3.00' },
    ])
    expect(await write({ pieces: { increment: 1 }, hours: { increment: '-0.5' } })).toEqual([
      { sys_id: '1', pieces: '13', hours: '2.0', price: '3.00' },
    ])
  })

  test('has the index of its owner in conditions and orders', async () => {
    await desk.run(
      `create table ledger.count (id integer primary key, pieces numeric(9,0), rate numeric(9,4), share numeric);
       insert into ledger.count select n, n, n, n from generate_series(1, 5000) n;
       create index on ledger.count (pieces, id); create index on ledger.count (rate, id); create index on ledger.count (share, id);
       analyze ledger.count`,
    )
    await desk.adopt()
    for (const column of ['pieces', 'rate', 'share'])
      for (const sysparm_query of [`ORDERBY${column}`, `${column}=17`]) {
        const parameters = { sysparm_query, sysparm_fields: 'sys_id', sysparm_limit: '5', sysparm_no_count: '1' }
        const plan = await explainList(desk.docket.database, 'count', parameters)
        expect(plan).toContain(`using count_${column}_id_idx`)
        expect(plan).not.toContain('Sort Key')
      }
  })

  test('of several is a read-only text, as PostgreSQL writes it', async () => {
    await desk.run(
      `create table ledger.series (id integer primary key, all_rates numeric[]);
       insert into ledger.series values (1, '{1.50,2}'), (2, null), (3, '{0.1}')`,
    )
    await desk.adopt()
    const read = (query: string) => dataOf(`GET /rest/v1/table/series?sysparm_fields=all_rates&sysparm_query=${query}`)
    expect(await read('ORDERBYsys_id')).toEqual([
      { all_rates: '{1.50,2}' },
      { all_rates: null },
      { all_rates: '{0.1}' },
    ])
    expect(await read('all_ratesLIKE1.50')).toEqual([{ all_rates: '{1.50,2}' }])
    expect(await read('all_ratesISNOTEMPTY^ORDERBYall_rates')).toEqual([
      { all_rates: '{0.1}' },
      { all_rates: '{1.50,2}' },
    ])
  })

  test('is described by OpenAPI', async () => {
    const document = (await desk.send('GET /openapi.json')).body as {
      components: { schemas: Record<string, { properties?: Record<string, unknown> }> }
    }
    const [described] = Object.values(document.components.schemas).flatMap(({ properties }) =>
      properties?.['rate'] === undefined ? [] : [properties['rate']],
    )
    expect(described).toMatchObject({ type: ['string', 'null'], pattern: '^(-?\\d+(\\.\\d+)?|NaN|-?Infinity)$' })
  })
})
