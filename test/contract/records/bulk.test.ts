import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, type Stage, setStage, type Who } from './fixture.ts'
import { errorBody } from './scenarios.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
  await stage.run(
    sql`insert into docket.company (sys_id, name, city) select 400 + n, 'Bulk ' || n, 'Paris' from generate_series(1, 5) as n`,
  )
})
afterAll(() => stage.close())
beforeEach(async () => {
  await stage.run(sql`update docket.company set city = 'Paris' where sys_id between 401 and 405`)
  await stage.run(sql`delete from docket_system.change where record_id in ('401', '402', '403', '404', '405')`)
})

const paris = 'sys_id>=401^sys_id<=405'
const bulk = async (
  body: unknown,
  {
    as = 'admin',
    table = 'company',
    parameters = '',
    headers = {},
  }: { as?: Who; table?: string; parameters?: string; headers?: Record<string, string> } = {},
) => {
  const response = await stage.send(as, `POST /rest/v1/bulk/${table}${parameters}`, { body, headers })
  return { status: response.status, body: response.body }
}
const cities = async () =>
  (
    (await stage.run(sql`select city from docket.company where sys_id between 401 and 405 order by sys_id`)) as {
      city: string
    }[]
  ).map(({ city }) => city)
const changes = async () =>
  (
    (await stage.run(
      sql`select record_id from docket_system.change where record_id in ('401','402','403','404','405') order by record_id`,
    )) as { record_id: string }[]
  ).map(({ record_id }) => record_id)
const done = (count: number, more: object = {}) => ({
  status: 200,
  body: { status: 'OK', data: { count, dry_run: false, failed: 0, errors: [], ...more } },
})
const error = (status: number, code: string, message: string, more: object = {}) => ({
  status,
  body: errorBody(code, message, { ...more }),
})

describe('a bulk request (issue 8, B10)', () => {
  test('changes all records that its query finds, each with an entry in the log', async () => {
    expect(await bulk({ query: paris, action: 'update', values: { city: 'Lyon' } })).toEqual(done(5))
    expect(await cities()).toEqual(['Lyon', 'Lyon', 'Lyon', 'Lyon', 'Lyon'])
    expect(await changes()).toEqual(['401', '402', '403', '404', '405'])
  })

  test('is rejected where the query finds a record whose sys_id the caller may not read', async () => {
    await stage.run(rule({ operation: 'write', table: 'company', roles: ['itil'] }))
    await stage.run(
      rule({ operation: 'read', table: 'company', column: 'sys_id', roles: ['itil'], condition: 'city=Paris' }),
    )
    await stage.run(sql`update docket.company set city = 'Rome' where sys_id = 403`)
    for (const dry_run of [true, false])
      expect(
        await bulk(
          { query: 'nameSTARTSWITHBulk', action: 'update', values: { city: 'Oslo' }, dry_run },
          { as: 'worker' },
        ),
      ).toEqual(
        error(
          409,
          'CONFLICT',
          'The query matches records of company whose sys_id you may not read; they cannot be changed by a query.',
          { reason: 'conflict' },
        ),
      )
    expect(
      await bulk(
        { query: 'nameSTARTSWITHBulk^city=Paris', action: 'update', values: { city: 'Oslo' } },
        { as: 'worker' },
      ),
    ).toEqual(done(4))
    expect(await cities()).toEqual(['Oslo', 'Oslo', 'Rome', 'Oslo', 'Oslo'])
    await stage.run(
      sql`delete from docket.sys_security_acl where table_name = 'company' and (operation = 'write' or column_name = 'sys_id')`,
    )
  })

  test('takes instructions, as PATCH does', async () => {
    const values = { city: { append: '!' } }
    expect(await bulk({ query: 'sys_idIN401@402', action: 'update', values })).toEqual(done(2))
    expect(await cities()).toEqual(['Paris!', 'Paris!', 'Paris', 'Paris', 'Paris'])
  })

  test('finds nothing and changes nothing', async () => {
    expect(await bulk({ query: 'name=nobody', action: 'update', values: { city: 'Lyon' } })).toEqual(done(0))
  })

  test('writes nothing in a dry run, and reports what would fail', async () => {
    expect(await bulk({ query: paris, action: 'update', values: { city: 'Lyon' }, dry_run: true })).toEqual(
      done(5, { dry_run: true }),
    )
    const failing = await bulk({ query: 'sys_id=301^ORsys_id=401', action: 'delete', dry_run: true })
    expect(failing).toEqual(
      done(2, {
        dry_run: true,
        failed: 1,
        errors: [
          {
            record: '301',
            code: 'CONFLICT',
            message: 'The record cannot be deleted: records of user refer to it.',
          },
        ],
        dependents: [],
      }),
    )
    expect(await cities()).toEqual(['Paris', 'Paris', 'Paris', 'Paris', 'Paris'])
    expect(await changes()).toEqual([])
  })

  test('is 409 where it finds another number of records than expected', async () => {
    expect(await bulk({ query: paris, action: 'update', values: { city: 'Lyon' }, expected_count: 4 })).toEqual(
      error(409, 'CONFLICT', 'The query finds 5 records, and expected_count is 4. Nothing was written.', {
        reason: 'count',
        found: 5,
        expected: 4,
      }),
    )
    expect(await changes()).toEqual([])
    expect(await bulk({ query: paris, action: 'update', values: { city: 'Lyon' }, expected_count: 5 })).toEqual(done(5))
  })

  test('writes nothing where one record cannot be written, and names it', async () => {
    expect(await bulk({ query: 'sys_id=301^ORsys_id=401', action: 'delete' })).toEqual(
      error(409, 'CONFLICT', 'Record 301: The record cannot be deleted: records of user refer to it.', {
        reason: 'referenced',
        record: '301',
      }),
    )
    expect(await cities()).toHaveLength(5)
  })

  test('asks the rights that a single write asks', async () => {
    const values = { city: 'Lyon' }
    for (const as of ['reader', 'nobody'] as const) {
      const [one, many] = [
        await stage.send(as, 'PATCH /rest/v1/table/company/401', { body: values }),
        await bulk({ query: paris, action: 'update', values }, { as }),
      ]
      expect(many.status).toBe(one.status)
      expect(many.status).toBe(403)
    }
    expect(await changes()).toEqual([])
  })

  test('is rejected where more records are found than one request may change', async () => {
    await stage.run(sql`update docket.sys_property set value = '4' where name = 'rest.bulk.max'`)
    expect(await bulk({ query: paris, action: 'update', values: { city: 'Lyon' } })).toEqual(
      error(
        422,
        'TOO_MANY_RECORDS',
        'The query finds more than 4 records, the most that one request changes (property rest.bulk.max). Nothing was written; narrow the query.',
      ),
    )
    const limits = await stage.send('admin', 'GET /limits')
    expect((limits.body as { data: unknown[] }).data).toContainEqual({
      service: 'records',
      name: 'records of a bulk request',
      value: 4,
      unit: 'records',
      status: 422,
    })
    await stage.run(sql`update docket.sys_property set value = '1000' where name = 'rest.bulk.max'`)
    expect(await changes()).toEqual([])
  })

  test('runs once under an Idempotency-Key, and another request with the key is rejected', async () => {
    const headers = { 'idempotency-key': 'bulk one' }
    const body = { query: paris, action: 'update', values: { city: { append: '!' } } }
    expect(await bulk(body, { headers })).toEqual(done(5))
    expect(await bulk(body, { headers })).toEqual(done(5))
    expect(await cities()).toEqual(['Paris!', 'Paris!', 'Paris!', 'Paris!', 'Paris!'])
    expect((await bulk({ ...body, query: 'sys_id=401' }, { headers })).status).toBe(422)
  })

  const bad = (name: string, body: unknown, message: string, field: string, parameters = '') =>
    [name, body, message, field, parameters] as const
  const aQuery = 'an encoded query with a condition (sys_idISNOTEMPTY means all records)'
  const values = { city: 'x' }
  test.each([
    bad('without a query', { action: 'delete' }, `The parameter query must be ${aQuery}; found nothing.`, 'query'),
    bad(
      'with an empty query',
      { query: '', action: 'delete' },
      `The parameter query must be ${aQuery}; found an empty text.`,
      'query',
    ),
    bad(
      'with an order only',
      { query: 'ORDERBYname', action: 'delete' },
      `The parameter query must be ${aQuery}; found ORDERBYname.`,
      'query',
    ),
    bad(
      'with an unknown member',
      { query: paris, action: 'delete', dryrun: true },
      'There is no parameter dryrun here. Did you mean dry_run?',
      'dryrun',
    ),
    bad(
      'with an unknown parameter',
      { query: paris, action: 'delete' },
      'There is no parameter sysparm_dry_run here. Known: sysparm_input_display_value.',
      'sysparm_dry_run',
      '?sysparm_dry_run=1',
    ),
    bad(
      'with another action',
      { query: paris, action: 'drop' },
      'The parameter action must be update or delete; found drop.',
      'action',
    ),
    bad(
      'without values',
      { query: paris, action: 'update' },
      'The parameter values must be an object of columns and values, with at least one; found nothing.',
      'values',
    ),
    bad(
      'with values for a delete',
      { query: paris, action: 'delete', values },
      'The parameter values must be left out for a delete; found an object.',
      'values',
    ),
    bad(
      'with a text for dry_run',
      { query: paris, action: 'delete', dry_run: 'yes' },
      'The parameter dry_run must be true or false; found yes.',
      'dry_run',
    ),
    bad(
      'with a negative count',
      { query: paris, action: 'delete', expected_count: -1 },
      'The parameter expected_count must be a whole number from 0; found -1.',
      'expected_count',
    ),
  ])('%s is 400', async (_name, body, message, field, parameters) => {
    expect(await bulk(body, { parameters })).toEqual(error(400, 'BAD_PARAMETER', message, { field }))
    expect(await changes()).toEqual([])
  })

  test('rejects an unknown column also where it finds nothing', async () => {
    expect((await bulk({ query: 'name=nobody', action: 'update', values: { town: 'x' } })).status).toBe(422)
    expect((await bulk({ query: 'nme=nobody', action: 'delete' })).status).toBe(400)
    expect((await bulk({ query: paris, action: 'delete' }, { table: 'companies' })).status).toBe(404)
  })

  test('leaves the dictionary alone', async () => {
    expect(
      await bulk({ query: 'name=company', action: 'update', values: { title: 'x' } }, { table: 'sys_db_table' }),
    ).toEqual(
      error(
        409,
        'CONFLICT',
        'Records of sys_db_table decide about tables or about other records; they are changed one at a time.',
        {
          reason: 'conflict',
        },
      ),
    )
  })

  test('keeps to the state model: a forbidden move of one record fails, and names it', async () => {
    const response = await bulk(
      { query: 'sys_idISNOTEMPTY', action: 'update', values: { state: '10' } },
      { as: 'worker', table: 'itsm_incident' },
    )
    expect(response.status).toBe(422)
    expect((response.body as { errors: { field: string; record: string }[] }).errors[0]).toMatchObject({
      field: 'state',
      record: expect.stringMatching(/^\d+$/),
    })
  })

  test('writes journals of each record', async () => {
    expect(
      await bulk(
        { query: 'sys_idIN1001@1003', action: 'update', values: { work_notes: 'all of you' } },
        { as: 'worker', table: 'task' },
      ),
    ).toEqual(done(2))
    const rows = await stage.run(
      sql`select record_id from docket.sys_journal_entry where value = 'all of you' order by record_id`,
    )
    expect(rows).toEqual([{ record_id: '1001' }, { record_id: '1003' }])
  })

  test('changes users, although each of them changes who may do what', async () => {
    const response = await bulk(
      { query: 'sys_idIN202@203', action: 'update', values: { display_name: 'Same Name' } },
      { table: 'user' },
    )
    expect(response).toEqual(done(2))
    const rows = await stage.run(sql`select display_name as name from docket."user" where sys_id in (202, 203)`)
    expect(rows).toEqual([{ name: 'Same Name' }, { name: 'Same Name' }])
  })

  test('deletes records that refer to each other, whatever their order', async () => {
    await stage.run(
      sql`insert into docket.sys_group (sys_id, name, parent_id) values (601, 'a', null), (602, 'b', 601), (604, 'd', null)`,
    )
    await stage.run(sql`insert into docket.sys_group (sys_id, name, parent_id) values (603, 'c', 604)`)
    expect(
      await bulk({ query: 'sys_idIN601@602@603@604', action: 'delete', expected_count: 4 }, { table: 'sys_group' }),
    ).toEqual(done(4, { dependents: [] }))
    expect(await stage.run(sql`select from docket.sys_group where sys_id between 601 and 604`)).toEqual([])
  })

  test('does not form a cycle of parents', async () => {
    await stage.run(sql`update docket.task set parent_id = null`)
    expect(
      await bulk({ query: 'sys_idIN1001@1002', action: 'update', values: { parent_id: '1002' } }, { table: 'task' }),
    ).toEqual(
      error(
        422,
        'INVALID_VALUE',
        'Record 1002: The value of parent_id is rejected: the record would be its own ancestor.',
        {
          field: 'parent_id',
          record: '1002',
        },
      ),
    )
  })

  test('two at once that use the same records both finish, and each finds what the other left', async () => {
    const one = { query: `${paris}^city=Paris`, action: 'update', values: { city: 'Lyon' } }
    const other = { query: `${paris}^city=Paris`, action: 'update', values: { city: 'Nice' } }
    const responses = await Promise.all([bulk(one), bulk(other)])
    const counts = responses.map(({ status, body }) => [status, (body as { data: { count: number } }).data.count])
    expect(counts.toSorted()).toEqual([
      [200, 0],
      [200, 5],
    ])
    expect(new Set(await cities()).size).toBe(1)
    expect(await changes()).toHaveLength(5)
  })
})
