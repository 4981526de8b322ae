import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { type DictionaryDesk, openDesk } from '../contract/dictionary/dictionary-desk.ts'
import { explainList } from '../harness/explain-list.ts'

/** Seven rows are in the list, thirteen are not. */
const ROWS = 7
const LIST = 'sysparm_query=subjectSTARTSWITHpaged^ORDERBYnumber&sysparm_fields=number'

let desk: DictionaryDesk
beforeAll(async () => {
  desk = await openDesk()
  await desk.docket.database.rows(sql`
    insert into docket.task (number, subject)
    select 'PAG' || n, case when n <= ${ROWS}::integer then 'paged ' else 'other ' end || n from generate_series(1, 20) n`)
})
afterAll(() => desk.close())

const limits = [1, 2, 3, 6, 7, 8, 13, 20]
const pages = [1, 2, 3, 4, 8]

async function totalsOf(more = ''): Promise<readonly unknown[]> {
  const totals: unknown[] = []
  for (const limit of limits) {
    for (const page of pages) {
      const { status, headers, body } = await desk.send(
        `GET /rest/v1/table/task?${LIST}&sysparm_limit=${limit}&sysparm_page=${page}${more}`,
      )
      const rows = Math.max(0, Math.min(limit, ROWS - limit * (page - 1)))
      const { data } = body as { readonly data: readonly unknown[] }
      totals.push([status, data.length === rows, headers['x-total-count'], headers['x-total-count-over']])
    }
  }
  return totals
}

const countMax = (value: string) =>
  desk.docket.database.rows(sql`update docket.sys_property set value = ${value} where name = 'rest.count.max'`)

test('each page has the total: full ones, the last one, and those behind it (issue 12, E)', async () => {
  const all = limits.flatMap(() => pages)
  expect(await totalsOf()).toEqual(all.map(() => [200, true, '7', undefined]))
})

test('a page that knows the total is over the limit of counting says only that (issue 12, E)', async () => {
  await countMax('6')
  const over = await totalsOf()
  const exact = await totalsOf('&sysparm_count=exact')
  await countMax('7')
  const reached = await totalsOf()
  await countMax('10000')
  const all = limits.flatMap(() => pages)
  expect(over).toEqual(all.map(() => [200, true, undefined, '6']))
  expect(exact).toEqual(all.map(() => [200, true, '7', undefined]))
  expect(reached).toEqual(all.map(() => [200, true, '7', undefined]))
})

test('the API for clients of ServiceNow counts no further either, and an export has all rows and no total (issue 12, E)', async () => {
  // Both APIs have this column.
  const list = 'sysparm_query=numberSTARTSWITHPAG^ORDERBYnumber&sysparm_fields=number'
  const page = async () => {
    const { status, headers, body } = await desk.send(`GET /api/now/table/task?${list}&sysparm_limit=3`)
    const relations = [...String(headers['link']).matchAll(/rel="(\w+)"/g)].map(([, name]) => name)
    return [
      status,
      (body as { readonly result: readonly unknown[] }).result.length,
      headers['x-total-count'],
      relations,
    ]
  }
  const known = await page()
  await countMax('6')
  const over = await page()
  const exported = await desk.send(`GET /rest/v1/export/task?${list}&format=ndjson`)
  await countMax('10000')
  expect(known).toEqual([200, 3, '20', ['first', 'next', 'last']])
  expect(over).toEqual([200, 3, undefined, ['first', 'next']])
  const { status, headers, text } = exported
  expect([status, text.trimEnd().split('\n').length, headers['x-total-count'], headers['x-total-count-over']]).toEqual([
    200,
    20,
    undefined,
    undefined,
  ])
})

/** The same rows, by a condition that is no search: their total is counted apart from the page. */
const numbered = `numberIN${Array.from({ length: ROWS }, (_each, at) => `PAG${at + 1}`).join(',')}^ORDERBYnumber`

test.each([
  ['counts nothing where no row comes after the page', '20', '1', true],
  ['counts nothing on the last page', '5', '2', true],
  ['counts where rows come after the page', '5', '1', false],
  ['counts behind the last row', '5', '9', false],
])('PostgreSQL %s (issue 12, E)', async (_what, limit, page, isSkipped) => {
  const plan = await explainList(
    desk.docket.database,
    'task',
    { sysparm_query: numbered, sysparm_limit: limit, sysparm_page: page },
    [],
    'analyze, costs off, timing off, summary off',
  )
  const [, ofTotal = ''] = /InitPlan[^\n]*\n([^\n]*)/.exec(plan) ?? []
  expect(/never executed/.test(ofTotal)).toBe(isSkipped)
})
