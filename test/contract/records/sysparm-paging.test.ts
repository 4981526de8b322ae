import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, type Stage, setStage } from './fixture.ts'
import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

// Places 1 to 95, as in the example of the contract.
const places = [
  sql`select docket_system.define_table('place', 'Places', 'Места')`,
  sql`select docket_system.define_column('place', 'nr', 'integer', 'Nr', '№')`,
  sql`insert into docket.place (sys_id, nr) select 7000 + n, n from generate_series(1, 95) as n`,
  rule({ operation: 'read', table: 'place', roles: ['itil'] }),
]
const numbers = (from: number, to: number): unknown =>
  ok(...Array.from({ length: to - from + 1 }, (_, index) => ({ nr: from + index })))

const get = (name: string, parameters: string, response: unknown, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  as: 'worker',
  send: `GET /rest/v1/table/place?sysparm_fields=nr${parameters}`,
  status: 200,
  response,
  ...rest,
})
const bad = (parameter: string, found: string): Partial<Scenario> & { readonly response: unknown } => ({
  status: 400,
  response: errorBody(
    'BAD_PARAMETER',
    `The parameter ${parameter} must be a whole number from ${parameter === 'sysparm_page' ? 1 : 0} to 1000000000; found ${found}.`,
    { field: parameter },
  ),
})
const linkTo = (parameters: string, rel: string): string =>
  `<BASE/rest/v1/table/place?sysparm_fields=nr&${parameters}>; rel="${rel}"`

describeScenarios(
  'sysparm_limit, sysparm_page, sysparm_cursor and sysparm_no_count',
  [
    // ── sysparm_offset ──
    get('sysparm_offset: skips rows (issue 8, B7)', '&sysparm_limit=3&sysparm_offset=10', numbers(11, 13), {
      responseHeaders: { 'x-total-count': '95', 'x-ignored-parameters': undefined },
    }),
    get('sysparm_offset: 0 skips none, empty is "not given"', '&sysparm_limit=2&sysparm_offset=0', numbers(1, 2)),
    get('sysparm_offset: empty beside a page', '&sysparm_limit=2&sysparm_page=2&sysparm_offset=', numbers(3, 4)),
    get('sysparm_offset: behind the end there is nothing', '&sysparm_offset=95', ok()),
    get('sysparm_offset: a negative one is rejected', '&sysparm_offset=-1', ok(), bad('sysparm_offset', '-1')),
    get('sysparm_offset: with a page it is rejected', '&sysparm_offset=5&sysparm_page=2', ok(), {
      status: 400,
      response: errorBody(
        'BAD_PARAMETER',
        'The parameter sysparm_offset must be given without sysparm_page; found both.',
        {
          field: 'sysparm_offset',
        },
      ),
    }),
    // ── sysparm_limit ──
    get('sysparm_limit: is 20 by default', '', numbers(1, 20), { responseHeaders: { 'x-total-count': '95' } }),
    get('sysparm_limit: is the maximum number of records in a response', '&sysparm_limit=3', numbers(1, 3)),
    get('sysparm_limit: empty is "not given"', '&sysparm_limit=', numbers(1, 20)),
    get('sysparm_limit: 0 is up to the cap', '&sysparm_limit=0', numbers(1, 95), {
      responseHeaders: { 'x-limit-clamped': undefined },
    }),
    get('sysparm_limit: at the cap nothing is clamped', '&sysparm_limit=10000', numbers(1, 95), {
      responseHeaders: { 'x-limit-clamped': undefined },
    }),
    get(
      'sysparm_limit: above the maximum it is lowered, and the response says so',
      '&sysparm_limit=10001',
      numbers(1, 95),
      {
        responseHeaders: { 'x-limit-clamped': '10000' },
      },
    ),
    get('sysparm_limit: a number that is no common page size', '&sysparm_limit=37', numbers(1, 37)),
    get('sysparm_limit: blanks around it do no harm', '&sysparm_limit=%203%20', numbers(1, 3)),
    get('sysparm_limit: a negative one is rejected', '&sysparm_limit=-1', numbers(1, 3), bad('sysparm_limit', '-1')),
    get('sysparm_limit: a word is rejected', '&sysparm_limit=ten', numbers(1, 3), bad('sysparm_limit', 'ten')),
    get('sysparm_limit: a fraction is rejected', '&sysparm_limit=1.5', numbers(1, 3), bad('sysparm_limit', '1.5')),
    get(
      'one beyond every table is rejected',
      '&sysparm_limit=99999999999',
      numbers(1, 3),
      bad('sysparm_limit', '99999999999'),
    ),
    // ── sysparm_page ──
    get('sysparm_page: is 1 by default', '&sysparm_limit=40', numbers(1, 40)),
    get('sysparm_page: 2 with limit 40 holds records 41 to 80', '&sysparm_limit=40&sysparm_page=2', numbers(41, 80), {
      responseHeaders: {
        'x-total-count': '95',
        link: [
          linkTo('sysparm_limit=40&sysparm_page=1', 'first'),
          linkTo('sysparm_limit=40&sysparm_page=1', 'prev'),
          linkTo('sysparm_limit=40&sysparm_page=3', 'next'),
          linkTo('sysparm_limit=40&sysparm_page=3', 'last'),
          linkTo('sysparm_limit=40&sysparm_cursor=WyI3MDgwIiwidDdzakNDIl0', 'cursor'),
        ].join(', '),
      },
    }),
    get('sysparm_page: 3, the last, holds the rest', '&sysparm_limit=40&sysparm_page=3', numbers(81, 95), {
      responseHeaders: {
        'x-next-cursor': undefined,
        link: [
          linkTo('sysparm_limit=40&sysparm_page=1', 'first'),
          linkTo('sysparm_limit=40&sysparm_page=2', 'prev'),
          linkTo('sysparm_limit=40&sysparm_page=3', 'last'),
        ].join(', '),
      },
    }),
    get('sysparm_page: beyond the last there is nothing', '&sysparm_limit=40&sysparm_page=4', ok(), {
      responseHeaders: { 'x-total-count': '95' },
    }),
    get('sysparm_page: without a limit it is of 20', '&sysparm_page=5', numbers(81, 95)),
    get(
      'of a filter and an order',
      '&sysparm_query=nr>90^ORDERBYDESCnr&sysparm_limit=2&sysparm_page=2',
      ok({ nr: 93 }, { nr: 92 }),
    ),
    get('sysparm_page: empty is "not given"', '&sysparm_limit=1&sysparm_page=', numbers(1, 1)),
    get('sysparm_page: 0 is rejected', '&sysparm_page=0', ok(), bad('sysparm_page', '0')),
    get('sysparm_page: a negative one is rejected', '&sysparm_page=-2', ok(), bad('sysparm_page', '-2')),
    get('sysparm_page: a word is rejected', '&sysparm_page=last', ok(), bad('sysparm_page', 'last')),
    get('sysparm_page: the farthest that is taken', '&sysparm_limit=10000&sysparm_page=1000000000', ok()),
    // ── sysparm_cursor ──
    get('sysparm_cursor: * begins', '&sysparm_limit=40&sysparm_cursor=*', numbers(1, 40), {
      responseHeaders: {
        'x-next-cursor': 'WyI3MDQwIiwidDdzakNDIl0',
        link: [
          linkTo('sysparm_limit=40&sysparm_cursor=*', 'first'),
          linkTo('sysparm_limit=40&sysparm_cursor=WyI3MDQwIiwidDdzakNDIl0', 'next'),
        ].join(', '),
      },
    }),
    get(
      'sysparm_cursor: goes on behind the last record',
      '&sysparm_limit=40&sysparm_cursor=WyI3MDQwIiwidDdzakNDIl0',
      numbers(41, 80),
    ),
    get(
      'sysparm_cursor: the last page has none to go on with',
      '&sysparm_limit=40&sysparm_cursor=WyI3MDgwIiwidDdzakNDIl0',
      numbers(81, 95),
      {
        responseHeaders: { 'x-next-cursor': undefined, link: linkTo('sysparm_limit=40&sysparm_cursor=*', 'first') },
      },
    ),
    get(
      'sysparm_cursor: wins over the first page',
      '&sysparm_limit=3&sysparm_cursor=WyI3MDQwIiwidDdzakNDIl0&sysparm_page=1',
      numbers(41, 43),
    ),
    get(
      'sysparm_cursor: with another page is rejected, because whoever counts pages would get the same one again',
      '&sysparm_limit=3&sysparm_cursor=*&sysparm_page=2',
      ok(),
      {
        status: 400,
        response: errorBody(
          'BAD_PARAMETER',
          'The parameter sysparm_page must be given without sysparm_cursor; found both.',
          { field: 'sysparm_page' },
        ),
      },
    ),
    get('sysparm_cursor: that is no cursor is rejected', '&sysparm_cursor=abc', ok(), {
      status: 400,
      response: errorBody(
        'BAD_PARAMETER',
        'The parameter sysparm_cursor must be the cursor that an earlier response to the same query and order gave in its Link header, or * for the beginning; found abc.',
        { field: 'sysparm_cursor' },
      ),
    }),
    get(
      'sysparm_cursor: of the other direction is rejected',
      '&sysparm_query=ORDERBYDESCsys_id&sysparm_cursor=WyI3MDQwIiwidDdzakNDIl0',
      ok(),
      {
        status: 400,
        response: errorBody(
          'BAD_PARAMETER',
          'The parameter sysparm_cursor must be the cursor that an earlier response to the same query and order gave in its Link header, or * for the beginning; found WyI3MDQwIiwidDdzakNDIl0.',
          { field: 'sysparm_cursor' },
        ),
      },
    ),
    get(
      'sysparm_cursor: of an earlier version, without the mark of its order',
      '&sysparm_limit=3&sysparm_cursor=WyI3MDQwIl0',
      numbers(41, 43),
    ),
    get('sysparm_cursor: of another order is rejected', '&sysparm_query=ORDERBYnr&sysparm_cursor=WyI3MDQwIl0', ok(), {
      status: 400,
      response: errorBody(
        'BAD_PARAMETER',
        'The parameter sysparm_cursor must be the cursor that an earlier response to the same query and order gave in its Link header, or * for the beginning; found WyI3MDQwIl0.',
        { field: 'sysparm_cursor' },
      ),
    }),
    // ── sysparm_no_count ──
    get(
      'sysparm_no_count: 1: no total, and so no last page',
      '&sysparm_limit=40&sysparm_page=2&sysparm_no_count=1',
      numbers(41, 80),
      {
        responseHeaders: {
          'x-total-count': undefined,
          link: [
            linkTo('sysparm_limit=40&sysparm_no_count=1&sysparm_page=1', 'first'),
            linkTo('sysparm_limit=40&sysparm_no_count=1&sysparm_page=1', 'prev'),
            linkTo('sysparm_limit=40&sysparm_no_count=1&sysparm_page=3', 'next'),
            linkTo('sysparm_limit=40&sysparm_no_count=1&sysparm_cursor=WyI3MDgwIiwidDdzakNDIl0', 'cursor'),
          ].join(', '),
        },
      },
    ),
    get('sysparm_no_count: 0: as without it', '&sysparm_limit=1&sysparm_no_count=0', numbers(1, 1), {
      responseHeaders: { 'x-total-count': '95' },
    }),
    get('sysparm_no_count: another value is rejected', '&sysparm_no_count=maybe', ok(), {
      status: 400,
      response: errorBody('BAD_PARAMETER', 'The parameter sysparm_no_count must be 0, 1, true or false; found maybe.', {
        field: 'sysparm_no_count',
      }),
    }),
  ],
  places,
)

describeScenarios(
  'the cap of sysparm_limit is the property rest.limit.max',
  [
    get('above it, it is clamped', '&sysparm_limit=6', numbers(1, 5), {
      responseHeaders: { 'x-limit-clamped': '5', 'x-total-count': '95' },
    }),
    get('so is the default', '', numbers(1, 5), { responseHeaders: { 'x-limit-clamped': '5' } }),
    get('0 is up to it', '&sysparm_limit=0&sysparm_page=2', numbers(6, 10), {
      responseHeaders: { 'x-limit-clamped': undefined },
    }),
  ],
  [...places, sql`update docket.sys_property set value = '5' where name = 'rest.limit.max'`],
)

describe('pages by cursor', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage([
      ...places,
      sql`update docket.place set nr = null where nr % 10 = 0`,
      sql`update docket.place set nr = nr % 7 where nr is not null`,
    ])
  })
  afterAll(() => stage.close())

  test.each([
    '',
    'ORDERBYnr',
    'ORDERBYDESCnr',
    'ORDERBYnr^ORDERBYDESCsys_id',
    'nr>2^ORDERBYDESCnr',
    'ORDERBYDESCsys_id',
  ])('cover what one page holds, in its order, also where many are equal or empty: %s', async (query) => {
    const path = `/rest/v1/table/place?sysparm_fields=sys_id,nr&sysparm_query=${query}`
    const idsOf = (body: unknown) => (body as { data: { sys_id: string }[] }).data.map((record) => record.sys_id)
    const whole = idsOf((await stage.send('worker', `GET ${path}&sysparm_limit=0`)).body)
    const paged: string[] = []
    let cursor: string | undefined = '*'
    while (cursor !== undefined) {
      const page = await stage.send('worker', `GET ${path}&sysparm_limit=10&sysparm_cursor=${cursor}`)
      paged.push(...idsOf(page.body))
      cursor = page.headers['x-next-cursor'] as string | undefined
    }
    expect(paged).toEqual(whole)
    expect(whole.length).toBeGreaterThan(30)
  })
})

test('a cursor that fits into no header is not sent, and a list by cursor says so', async () => {
  const stage = await setStage([
    sql`insert into docket.task (subject, description, sys_created_by, sys_updated_by)
      select 'Long order', repeat('Ж', 3000) || n, 201, 201 from generate_series(1, 3) as n`,
  ])
  try {
    const path = 'GET /rest/v1/table/task?sysparm_query=subject=Long%20order^ORDERBYdescription&sysparm_fields=subject'
    const page = await stage.send('worker', `${path}&sysparm_limit=1&sysparm_page=2`)
    expect([page.status, page.body]).toEqual([200, { status: 'OK', data: [{ subject: 'Long order' }] }])
    expect(page.headers['x-next-cursor']).toBe(undefined)
    expect(String(page.headers['link'])).toContain('sysparm_page=3>; rel="next"')
    expect(String(page.headers['link'])).not.toContain('cursor')
    const rejected = await stage.send('worker', `${path}&sysparm_limit=1&sysparm_cursor=*`)
    expect([rejected.status, rejected.text]).toEqual([
      400,
      expect.stringMatching(
        /"The parameter sysparm_cursor must be an order by shorter values, or sysparm_page: the cursor of the next page has \d+ bytes, at most 6000 fit into a header; found /,
      ),
    ])
    // The last page needs no other cursor.
    expect((await stage.send('worker', `${path}&sysparm_limit=3&sysparm_cursor=*`)).status).toBe(200)
    const all = await stage.send(
      'worker',
      'GET /rest/v1/export/task?format=csv&sysparm_query=subject=Long%20order^ORDERBYdescription&sysparm_fields=subject',
    )
    expect([all.status, all.text.trim().split(/\r?\n/)]).toEqual([200, ['subject', ...Array(3).fill('Long order')]])
  } finally {
    await stage.close()
  }
})

test('Link goes on by offset where the list was asked for by offset (issue 8, B7)', async () => {
  const stage = await setStage(places)
  try {
    const response = await stage.send(
      'worker',
      'GET /rest/v1/table/place?sysparm_fields=nr&sysparm_limit=20&sysparm_offset=10',
    )
    const links = String(response.headers['link']).replaceAll(stage.docket.baseUrl, 'BASE').split(', ')
    expect(links.slice(0, 4)).toEqual([
      linkTo('sysparm_limit=20&sysparm_offset=0', 'first'),
      linkTo('sysparm_limit=20&sysparm_offset=0', 'prev'),
      linkTo('sysparm_limit=20&sysparm_offset=30', 'next'),
      linkTo('sysparm_limit=20&sysparm_offset=90', 'last'),
    ])
  } finally {
    await stage.close()
  }
})

describeScenarios(
  'totals are exact up to the property rest.count.max (issue 12, E)',
  [
    get('beyond it, a header says so, and there is no last page', '&sysparm_limit=40', numbers(1, 40), {
      responseHeaders: {
        'x-total-count': undefined,
        'x-total-count-over': '50',
        link: [
          linkTo('sysparm_limit=40&sysparm_page=1', 'first'),
          linkTo('sysparm_limit=40&sysparm_page=2', 'next'),
          linkTo('sysparm_limit=40&sysparm_cursor=WyI3MDQwIiwidDdzakNDIl0', 'cursor'),
        ].join(', '),
      },
    }),
    get('as many as it are counted', '&sysparm_query=nr<=50&sysparm_limit=1', numbers(1, 1), {
      responseHeaders: { 'x-total-count': '50', 'x-total-count-over': undefined },
    }),
    get('sysparm_count: exact counts all', '&sysparm_limit=1&sysparm_count=exact', numbers(1, 1), {
      responseHeaders: { 'x-total-count': '95', 'x-total-count-over': undefined },
    }),
    get('sysparm_count: another value is rejected', '&sysparm_count=all', ok(), {
      status: 400,
      response: errorBody('BAD_PARAMETER', 'The parameter sysparm_count must be exact, or left out; found all.', {
        field: 'sysparm_count',
      }),
    }),
  ],
  [...places, sql`update docket.sys_property set value = '50' where name = 'rest.count.max'`],
)
