import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AdoptionDesk, openAdoptionDesk } from './adoption-desk.ts'

let desk: AdoptionDesk
beforeAll(async () => {
  desk = await openAdoptionDesk('depot')
  await desk.adopt()
})
afterAll(() => desk.close())

const call = async (line: string) => {
  const response = await desk.send(`GET /rest/v1/table/place?sysparm_fields=sys_id&${encodeURI(line)}`)
  if (response.status !== 200) throw new Error(`${response.status} ${response.text}`)
  const { data } = response.body as { data: readonly { readonly sys_id: string }[] }
  return {
    ids: data.map(({ sys_id }) => sys_id),
    next: response.headers['x-next-cursor'] as string | undefined,
    response,
  }
}

const columns = [
  'name',
  'note',
  'checked',
  'opened',
  'begins',
  'founded',
  'weight',
  'rank',
  'share',
  'amount',
  'active',
  'kind',
]
const orders = [
  ...columns.flatMap((column) => [`ORDERBY${column}`, `ORDERBYDESC${column}`]),
  'ORDERBYsys_id',
  'ORDERBYDESCsys_id',
  'ORDERBYkind^ORDERBYDESCchecked^ORDERBYname',
  'ORDERBYDESCopened^ORDERBYbegins^ORDERBYDESCsys_id',
  'kindISNOTEMPTY^ORDERBYDESCrank^ORDERBYweight',
]

describe.each(orders)('in the order %s', (query) => {
  test('a walk by cursor gives what one large page gives, in its order', async () => {
    const whole = await call(`sysparm_query=${query}&sysparm_limit=0`)
    expect(whole.ids.length).toBeGreaterThan(25)
    expect(new Set(whole.ids).size).toBe(whole.ids.length)
    const walked: string[] = []
    for (let cursor = '*'; ; ) {
      const page = await call(`sysparm_query=${query}&sysparm_limit=7&sysparm_cursor=${encodeURIComponent(cursor)}`)
      walked.push(...page.ids)
      if (page.next === undefined || walked.length > 100) break
      cursor = page.next
    }
    expect(walked).toEqual(whole.ids)
  })

  test('pages by number give it too, with the total', async () => {
    const whole = await call(`sysparm_query=${query}&sysparm_limit=0`)
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => call(`sysparm_query=${query}&sysparm_limit=11&sysparm_page=${page}`)),
    )
    expect(pages.flatMap(({ ids }) => ids)).toEqual(whole.ids)
    expect(pages.map(({ response }) => response.headers['x-total-count'])).toEqual(
      pages.map(() => String(whole.ids.length)),
    )
  })
})

describe('a text whose collation ignores case', () => {
  beforeAll(async () => {
    await desk.run(`
      create collation depot.caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
      create table depot.brand (id integer primary key, name text collate depot.caseless);
      create index on depot.brand (name);
      insert into depot.brand values (1, 'b'), (2, 'A'), (3, 'a'), (4, 'B'), (5, 'a'), (6, 'A'), (7, null), (8, 'c'), (9, 'b'), (10, 'C');
      create table depot.tool (id integer primary key, brand_id integer references depot.brand);
      insert into depot.tool select id, id from depot.brand`)
    await desk.adopt()
  })

  test.each([
    ['brand', 'ORDERBYname', ['3', '5', '2', '6', '1', '9', '4', '8', '10', '7']],
    ['brand', 'ORDERBYDESCname', ['7', '10', '8', '4', '9', '1', '6', '2', '5', '3']],
    ['brand', 'ORDERBYname^ORDERBYDESCsys_id', ['5', '3', '6', '2', '9', '1', '4', '8', '10', '7']],
    ['tool', 'ORDERBYbrand_id.name', ['3', '5', '2', '6', '1', '9', '4', '8', '10', '7']],
  ])('%s by cursor in the order %s has each record once', async (table, query, ids) => {
    for (const limit of [1, 2, 100]) {
      const walked: string[] = []
      for (let cursor = '*'; walked.length <= ids.length; ) {
        const { body, headers } = await desk.send(
          `GET /rest/v1/table/${table}?sysparm_query=${query}&sysparm_limit=${limit}&sysparm_cursor=${encodeURIComponent(cursor)}`,
        )
        walked.push(...(body as { data: readonly { sys_id: string }[] }).data.map(({ sys_id }) => sys_id))
        const next = headers['x-next-cursor']
        if (typeof next !== 'string') break
        cursor = next
      }
      expect([limit, walked]).toEqual([limit, ids])
    }
  })
})

test('a cursor that was made up is the caller’s fault', async () => {
  const cursor = Buffer.from('["no date","1"]').toString('base64url')
  const response = await desk.send(`GET /rest/v1/table/place?sysparm_query=ORDERBYchecked&sysparm_cursor=${cursor}`)
  expect(response.status).toBe(400)
})
