import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, type Stage, setStage, type Who } from '../records/fixture.ts'
import { errorIn } from './dictionary-desk.ts'

let stage: Stage
let ids: Readonly<Record<string, string>>
beforeAll(async () => {
  const tables = ['shelf', 'box', 'item', 'ledger', 'secret']
  stage = await setStage([
    ...tables.filter((table) => table !== 'secret').map((table) => rule({ operation: 'read', table, roles: ['itil'] })),
    ...['shelf', 'box', 'secret'].map((table) => rule({ operation: 'delete', table, roles: ['itil'] })),
    rule({ operation: 'delete', table: 'item', roles: ['itil'], condition: 'name!=kept' }),
    rule({ operation: 'write', table: 'item', roles: ['itil'] }),
    rule({ operation: 'write', table: 'item', column: 'locked', roles: ['admin'] }),
  ])
  for (const name of tables) await define('sys_db_table', { name, title: name })
  for (const table of tables) await column(table, 'name', 'string', { display_by_ref: true })
  await column('shelf', 'next', 'reference', { reference_id: { find: { name: 'shelf' } }, on_delete: 'cascade' })
  await column('box', 'shelf', 'reference', { reference_id: { find: { name: 'shelf' } }, on_delete: 'cascade' })
  await column('box', 'inner', 'reference', { reference_id: { find: { name: 'item' } }, on_delete: 'cascade' })
  await column('item', 'box', 'reference', { reference_id: { find: { name: 'box' } }, on_delete: 'cascade' })
  await column('item', 'spare', 'reference', { reference_id: { find: { name: 'shelf' } }, on_delete: 'clear' })
  await column('item', 'other', 'reference', { reference_id: { find: { name: 'box' } }, on_delete: 'clear' })
  await column('item', 'shelves', 'list', { reference_id: { find: { name: 'shelf' } }, on_delete: 'clear' })
  await column('item', 'plain', 'list', { reference_id: { find: { name: 'shelf' } } })
  await column('item', 'locked', 'reference', { reference_id: { find: { name: 'shelf' } }, on_delete: 'clear' })
  await column('ledger', 'shelf', 'reference', { reference_id: { find: { name: 'shelf' } } })
  await column('secret', 'shelf', 'reference', { reference_id: { find: { name: 'shelf' } }, on_delete: 'cascade' })
})
afterAll(() => stage.close())
beforeEach(() => clear())

async function clear(): Promise<void> {
  await stage.run(sql`update docket.box set "inner" = null`)
  for (const table of ['secret', 'ledger', 'item', 'box', 'shelf'])
    await stage.run(sql`delete from ${sql.id('docket', table)}`)
  ids = {}
}

async function create(table: string, values: Readonly<Record<string, unknown>>): Promise<string> {
  const response = await stage.docket.request('POST', `/rest/v1/table/${table}?sysparm_fields=sys_id`, {
    as: stage.callerOf('admin'),
    body: values,
  })
  if (response.status !== 200) throw new Error(response.text)
  return (response.body as { data: readonly { sys_id: string }[] }).data[0]?.sys_id ?? ''
}
const define = create
const column = (table: string, name: string, type: string, more: Readonly<Record<string, unknown>> = {}) =>
  create('sys_db_column', {
    table_id: { find: { name: table } },
    column_name: name,
    title: name,
    column_type_id: { find: { name: type } },
    ...more,
  })

/** Creates a record. A value `@name` is the sys_id of the record with this name. */
async function add(table: string, name: string, values: Readonly<Record<string, string | readonly string[]>> = {}) {
  const idOf = (value: string): string => (value.startsWith('@') ? (ids[value.slice(1)] ?? '') : value)
  const body = Object.entries(values).map(([key, value]) => [
    key,
    typeof value === 'string' ? idOf(value) : value.map(idOf),
  ])
  ids = { ...ids, [name]: await create(table, { name, ...Object.fromEntries(body) }) }
}

const send = (as: Who, line: string, body?: unknown) => stage.send(as, line, body === undefined ? {} : { body })
const remove = (as: Who, table: string, name: string) => send(as, `DELETE /rest/v1/table/${table}/${ids[name]}`)
async function dependents(as: Who, table: string, name: string): Promise<unknown> {
  const response = await send(as, `GET /rest/v1/table/${table}/${ids[name]}/dependents`)
  return response.status === 200 ? (response.body as { data: unknown }).data : errorIn(response)
}
/** All records by name, with the names of the records to which they refer. */
async function world(): Promise<Readonly<Record<string, unknown>>> {
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]))
  const all = ['shelf', 'box', 'item', 'ledger', 'secret'].map(
    (table) => sql`select name, to_jsonb(t)::text as row from ${sql.id('docket', table)} t`,
  )
  const found = (await stage.run(sql`${sql.join(all, sql` union all `)} order by 1`)) as { name: string; row: string }[]
  // A JavaScript number cannot hold 18 digits.
  const rows = found.map(({ name, row }) => ({
    name,
    row: JSON.parse(row.replaceAll(/: (\d{15,})/g, ': "$1"')) as Record<string, unknown>,
  }))
  const displayed = (value: unknown): unknown =>
    Array.isArray(value) ? value.map((id) => names.get(String(id)) ?? id) : (names.get(String(value)) ?? value)
  return Object.fromEntries(
    rows.map(({ name, row }) => [
      name,
      Object.fromEntries(
        Object.entries(row)
          .filter(
            ([key, value]) => !key.startsWith('sys_') && key !== 'name' && key !== 'update$count' && value !== null,
          )
          .map(([key, value]) => [key, displayed(value)]),
      ),
    ]),
  )
}
const blockedBy = (message: string) => ({ status: 409, code: 'CONFLICT', reason: 'referenced', message })

describe('a delete honours on_delete of the columns that refer to the record (issue 8, B10)', () => {
  test('a reference restricts by default, and lists and system columns have none', async () => {
    const response = await send(
      'admin',
      'GET /rest/v1/table/sys_db_column?sysparm_query=table_id.nameINledger@item@task^column_nameINshelf@plain@shelves@sys_created_by@caller^ORDERBYcolumn_name&sysparm_fields=column_name,on_delete&sysparm_no_count=1',
    )
    expect(response.body).toEqual({
      status: 'OK',
      data: [
        { column_name: 'caller', on_delete: 'restrict' },
        { column_name: 'plain', on_delete: null },
        { column_name: 'shelf', on_delete: 'restrict' },
        { column_name: 'shelves', on_delete: 'clear' },
        { column_name: 'sys_created_by', on_delete: null },
        { column_name: 'sys_created_by', on_delete: null },
        { column_name: 'sys_created_by', on_delete: null },
      ].toSorted((one, other) => (one.column_name < other.column_name ? -1 : 1)),
    })
  })

  test('records go with it over several levels, references become empty, members leave lists', async () => {
    await add('shelf', 'one')
    await add('shelf', 'two')
    await add('box', 'in one', { shelf: '@one' })
    await add('box', 'in two', { shelf: '@two' })
    await add('item', 'deep', { box: '@in one' })
    await add('item', 'stays', {
      box: '@in two',
      spare: '@one',
      other: '@in one',
      shelves: ['@two', '@one'],
      plain: ['@one'],
    })
    expect(await dependents('worker', 'shelf', 'one')).toEqual({
      blocked: null,
      dependents: [
        { table: 'box', column: 'shelf', action: 'cascade', count: 1, more: false },
        { table: 'item', column: 'box', action: 'cascade', count: 1, more: false },
        { table: 'item', column: 'other', action: 'clear', count: 1, more: false },
        { table: 'item', column: 'shelves', action: 'clear', count: 1, more: false },
        { table: 'item', column: 'spare', action: 'clear', count: 1, more: false },
      ],
    })
    const deleted = await remove('worker', 'shelf', 'one')
    expect(deleted).toMatchObject({
      status: 200,
      body: { status: 'OK', data: { description: 'Records successfully deleted.', count: 1 } },
    })
    expect(await world()).toEqual({
      'in two': { shelf: 'two' },
      stays: { box: 'in two', shelves: ['two'], plain: ['one'] },
      two: {},
    })
  })

  test('the log has each record that was touched, by the caller', async () => {
    await add('shelf', 'one')
    await add('box', 'in one', { shelf: '@one' })
    await add('item', 'stays', { spare: '@one' })
    await remove('worker', 'shelf', 'one')
    const changes = await stage.run(sql`
      select operation::text, record_id, changed_by::text from docket_system.change`)
    const touched = (changes as { operation: string; record_id: string; changed_by: string }[])
      .filter(({ record_id, operation }) => Object.values(ids).includes(record_id) && operation !== 'c')
      .map(({ operation, record_id, changed_by }) => [operation, record_id, changed_by])
      .toSorted()
    expect(touched).toEqual(
      [
        ['d', ids['one'], '201'],
        ['d', ids['in one'], '201'],
        ['u', ids['stays'], '201'],
      ].toSorted(),
    )
  })

  test('a restricting reference blocks all of it, unless its record goes too', async () => {
    await add('shelf', 'one')
    await add('box', 'in one', { shelf: '@one' })
    await add('ledger', 'entry', { shelf: '@one' })
    const before = await world()
    const blocked = blockedBy('The record cannot be deleted: records of ledger refer to it.')
    expect(await dependents('worker', 'shelf', 'one')).toEqual({
      blocked,
      dependents: [
        { table: 'box', column: 'shelf', action: 'cascade', count: 1, more: false },
        { table: 'ledger', column: 'shelf', action: 'restrict', count: 1, more: false },
      ],
    })
    expect(errorIn(await remove('worker', 'shelf', 'one'))).toEqual(blocked)
    expect(await world()).toEqual(before)
  })

  test('circles of references end', async () => {
    await add('shelf', 'one')
    await add('shelf', 'two', { next: '@one' })
    await add('box', 'box', { shelf: '@two' })
    await add('item', 'item', { box: '@box' })
    await send('admin', `PATCH /rest/v1/table/shelf/${ids['one']}`, { next: ids['two'] })
    await send('admin', `PATCH /rest/v1/table/box/${ids['box']}`, { inner: ids['item'] })
    expect(await dependents('worker', 'shelf', 'one')).toEqual({
      blocked: null,
      dependents: [
        { table: 'box', column: 'shelf', action: 'cascade', count: 1, more: false },
        { table: 'item', column: 'box', action: 'cascade', count: 1, more: false },
        { table: 'shelf', column: 'next', action: 'cascade', count: 1, more: false },
      ],
    })
    expect((await remove('worker', 'shelf', 'one')).status).toBe(200)
    expect(await world()).toEqual({})
  })

  test.each([
    [
      'a record that goes needs the delete right',
      async () => {
        await add('box', 'in one', { shelf: '@one' })
        await add('item', 'kept', { box: '@in one' })
      },
      'records of item refer to it, and you may not delete them all',
    ],
    [
      'a reference that becomes empty needs the write right on its column',
      () => add('item', 'stays', { locked: '@one' }),
      'records of item refer to it, and you may not change them all',
    ],
    [
      'what the caller may not read is neither named nor counted',
      () => add('secret', 'hidden', { shelf: '@one' }),
      'records of another table refer to it',
    ],
  ])('%s, else all stays', async (_name, prepare, reason) => {
    await add('shelf', 'one')
    await prepare()
    const before = await world()
    const blocked = blockedBy(`The record cannot be deleted: ${reason}.`)
    const displayed = (await dependents('worker', 'shelf', 'one')) as {
      blocked: unknown
      dependents: readonly { table: string }[]
    }
    expect(displayed.blocked).toEqual(blocked)
    expect(displayed.dependents.filter(({ table }) => table === 'secret')).toEqual([])
    expect(errorIn(await remove('worker', 'shelf', 'one'))).toEqual(blocked)
    expect(await world()).toEqual(before)
    expect((await remove('admin', 'shelf', 'one')).status).toBe(200)
  })

  test('who may not delete the record, or not read it, learns nothing more', async () => {
    await add('item', 'kept')
    await add('box', 'box', { inner: '@kept' })
    expect(await dependents('worker', 'item', 'kept')).toEqual({
      blocked: {
        status: 403,
        code: 'ACCESS_DENIED',
        message: 'You have no access to delete this record of the table item.',
      },
      dependents: [{ table: 'box', column: 'inner', action: 'cascade', count: 1, more: false }],
    })
    expect((await remove('worker', 'item', 'kept')).status).toBe(403)
    expect(await dependents('reader', 'item', 'kept')).toMatchObject({ status: 403 })
    expect(await dependents('worker', 'item', 'nothing')).toMatchObject({ status: 404, code: 'RECORD_NOT_FOUND' })
  })

  test('one delete touches at most 1,000 records', async () => {
    await add('shelf', 'one')
    await stage.run(
      sql`insert into docket.box (name, shelf) select 'b' || n, ${ids['one']}::bigint from generate_series(1, 1001) as n`,
    )
    const tooMany = {
      status: 422,
      code: 'TOO_MANY_DEPENDENTS',
      message:
        'The record cannot be deleted at once: more than 1000 records that refer to it would be changed or deleted. Change or delete some of them first.',
    }
    expect(await dependents('worker', 'shelf', 'one')).toEqual({
      blocked: tooMany,
      dependents: [{ table: 'box', column: 'shelf', action: 'cascade', count: 1000, more: true }],
    })
    expect(errorIn(await remove('worker', 'shelf', 'one'))).toEqual(tooMany)
    await stage.run(sql`delete from docket.box where name = 'b1'`)
    expect((await remove('worker', 'shelf', 'one')).status).toBe(200)
    expect(await world()).toEqual({})
  })

  test('If-Match is about the record itself', async () => {
    await add('shelf', 'one')
    await add('box', 'in one', { shelf: '@one' })
    const read = await send('worker', `GET /rest/v1/table/shelf/${ids['one']}`)
    const line = `DELETE /rest/v1/table/shelf/${ids['one']}`
    expect((await stage.send('worker', line, { headers: { 'if-match': '"old"' } })).status).toBe(409)
    const tag = String(read.headers['etag'])
    expect((await stage.send('worker', line, { headers: { 'if-match': tag } })).status).toBe(200)
  })
})

describe('what a delete could never do is rejected when it is configured (issue 8, B10)', () => {
  test.each([
    [
      'list',
      { reference_id: { find: { name: 'shelf' } }, on_delete: 'cascade' },
      'a list restricts, or loses the member (clear).',
    ],
    ['string', { on_delete: 'restrict' }, 'only references and lists of references have it.'],
    [
      'reference',
      { reference_id: { find: { name: 'shelf' } }, on_delete: 'clear', mandatory: true },
      'a mandatory column cannot be cleared.',
    ],
    [
      'reference',
      { reference_id: { find: { name: 'shelf' } }, on_delete: 'clear', read_only: true },
      'a read-only column cannot be cleared.',
    ],
    [
      'reference',
      { reference_id: { find: { name: 'sys_db_table' } }, on_delete: 'cascade' },
      'records of sys_db_table are part of the dictionary; only restrict is possible.',
    ],
  ])('%s %j', async (type, more, reason) => {
    const response = await send('admin', 'POST /rest/v1/table/sys_db_column', {
      table_id: { find: { name: 'ledger' } },
      column_name: 'wrong',
      title: 'wrong',
      column_type_id: { find: { name: type } },
      ...more,
    })
    expect(errorIn(response)).toEqual({
      status: 422,
      code: 'INVALID_VALUE',
      field: 'on_delete',
      message: `The value of on_delete is rejected: ${reason}`,
    })
  })

  test('Docket’s own tables keep what they do', async () => {
    const read = await send(
      'admin',
      'GET /rest/v1/table/sys_db_column?sysparm_query=table_id.name=sys_approval^column_name=task&sysparm_fields=sys_id',
    )
    const [{ sys_id: id }] = (read.body as { data: [{ sys_id: string }] }).data
    expect(errorIn(await send('admin', `PATCH /rest/v1/table/sys_db_column/${id}`, { on_delete: 'cascade' }))).toEqual({
      status: 422,
      code: 'INVALID_VALUE',
      field: 'on_delete',
      message: 'The value of on_delete is rejected: sys_approval.task is a column of Docket itself, where this stays.',
    })
  })

  test('a column of the shipped desk takes another', async () => {
    const read = await send(
      'admin',
      'GET /rest/v1/table/sys_db_column?sysparm_query=table_id.name=task^column_name=company&sysparm_fields=sys_id',
    )
    const [{ sys_id: id }] = (read.body as { data: [{ sys_id: string }] }).data
    expect((await send('admin', `PATCH /rest/v1/table/sys_db_column/${id}`, { on_delete: 'clear' })).status).toBe(200)
    expect((await send('admin', 'DELETE /rest/v1/table/company/302')).status).toBe(200)
    expect(await stage.run(sql`select company from docket.task where sys_id = 1002`)).toEqual([{ company: null }])
  })
})

describe('a bulk delete honours on_delete as single deletes do (issue 8, B10)', () => {
  const bulk = (as: Who, query: string, more: object = {}) =>
    send(as, 'POST /rest/v1/bulk/shelf', { query, action: 'delete', ...more })
  async function desk() {
    await add('shelf', 'one')
    await add('shelf', 'two', { next: '@one' })
    await add('shelf', 'three')
    await add('box', 'in one', { shelf: '@one' })
    await add('box', 'in two', { shelf: '@two' })
    await add('box', 'in three', { shelf: '@three' })
    await add('item', 'deep', { box: '@in one' })
    await add('item', 'stays', {
      box: '@in three',
      spare: '@one',
      other: '@in two',
      shelves: ['@two', '@three', '@one'],
    })
  }
  const gone = [
    { table: 'box', column: 'shelf', action: 'cascade', count: 2, more: false },
    { table: 'item', column: 'box', action: 'cascade', count: 1, more: false },
    { table: 'item', column: 'other', action: 'clear', count: 1, more: false },
    { table: 'item', column: 'shelves', action: 'clear', count: 1, more: false },
    { table: 'item', column: 'spare', action: 'clear', count: 1, more: false },
  ]
  const left = {
    'in three': { shelf: 'three' },
    stays: { box: 'in three', shelves: ['three'] },
    three: {},
  }

  test('a dry run reports what would go and become empty, and the delete does it', async () => {
    await desk()
    const before = await world()
    const response = { count: 2, failed: 0, errors: [], dependents: gone }
    const dry = await bulk('worker', 'nameINone@two', { dry_run: true })
    expect(dry.body).toEqual({ status: 'OK', data: { ...response, dry_run: true } })
    expect(await world()).toEqual(before)
    const deleted = await bulk('worker', 'nameINone@two')
    expect(deleted.body).toEqual({ status: 'OK', data: { ...response, dry_run: false } })
    expect(await world()).toEqual(left)
  })

  test('the log has each record once, by the caller', async () => {
    await desk()
    await bulk('worker', 'nameINone@two')
    const changes = (await stage.run(sql`
      select operation::text, record_id, changed_by::text as by from docket_system.change where operation <> 'c'`)) as {
      operation: string
      record_id: string
      by: string
    }[]
    const touched = changes.filter(({ record_id: id }) => Object.values(ids).includes(id))
    expect(touched.every(({ by }) => by === '201')).toBe(true)
    const deleted = touched.filter(({ operation }) => operation === 'd').map(({ record_id: id }) => id)
    expect(deleted.toSorted()).toEqual(['one', 'two', 'in one', 'in two', 'deep'].map((name) => ids[name]).toSorted())
  })

  test('a record that restricts blocks all of it, and the error names the record', async () => {
    await desk()
    await add('ledger', 'entry', { shelf: '@one' })
    const before = await world()
    const message = 'The record cannot be deleted: records of ledger refer to it.'
    expect(errorIn(await bulk('worker', 'nameINone@three'))).toEqual({
      ...blockedBy(`Record ${ids['one']}: ${message}`),
      record: ids['one'],
    })
    expect((await bulk('worker', 'nameINone@three', { dry_run: true })).body).toEqual({
      status: 'OK',
      data: {
        count: 2,
        dry_run: true,
        failed: 1,
        errors: [{ record: ids['one'], code: 'CONFLICT', message }],
        dependents: [
          { table: 'box', column: 'shelf', action: 'cascade', count: 1, more: false },
          { table: 'item', column: 'box', action: 'cascade', count: 1, more: false },
        ],
      },
    })
    expect(await world()).toEqual(before)
  })

  test.each([
    ['a record that goes needs the delete right', () => add('item', 'kept', { box: '@in one' })],
    ['a reference that becomes empty needs the write right', () => add('item', 'fixed', { locked: '@one' })],
    ['what the caller may not read is not named', () => add('secret', 'hidden', { shelf: '@one' })],
  ])('%s: the error is that of the single delete', async (_name, prepare) => {
    await desk()
    await prepare()
    const before = await world()
    const single = errorIn(await remove('worker', 'shelf', 'one')) as { message: string }
    expect(errorIn(await bulk('worker', 'name=one'))).toEqual({
      ...single,
      message: `Record ${ids['one']}: ${single.message}`,
      record: ids['one'],
    })
    expect(await world()).toEqual(before)
    expect((await bulk('admin', 'name=one')).status).toBe(200)
  })

  test('any set of records goes as it would go one by one (law)', async () => {
    const shelf = fc.nat(3)
    const maybe = fc.option(shelf)
    const plan = fc.record({
      next: fc.tuple(maybe, maybe, maybe, maybe),
      boxes: fc.array(fc.record({ shelf: maybe }), { maxLength: 4 }),
      items: fc.array(fc.record({ box: fc.option(fc.nat(3)), spare: maybe, shelves: fc.uniqueArray(shelf) }), {
        maxLength: 4,
      }),
      entries: fc.array(fc.record({ shelf: maybe }), { maxLength: 1 }),
      goes: fc.uniqueArray(shelf, { minLength: 1 }),
    })
    await fc.assert(
      fc.asyncProperty(plan, async ({ next, boxes, items, entries, goes }) => {
        const build = async () => {
          await clear()
          for (const at of next.keys()) await add('shelf', `s${at}`)
          for (const [at, to] of next.entries())
            if (to !== null) await send('admin', `PATCH /rest/v1/table/shelf/${ids[`s${at}`]}`, { next: ids[`s${to}`] })
          const at = (name: string, index: number | null) => (index === null ? {} : { [name]: `@s${index}` })
          for (const [n, box] of boxes.entries()) await add('box', `b${n}`, at('shelf', box.shelf))
          for (const [n, item] of items.entries()) {
            const box = item.box !== null && item.box < boxes.length ? { box: `@b${item.box}` } : {}
            const shelves = item.shelves.map((each) => `@s${each}`)
            await add('item', `i${n}`, { ...box, ...at('spare', item.spare), shelves })
          }
          for (const [n, entry] of entries.entries()) await add('ledger', `e${n}`, at('shelf', entry.shelf))
        }
        await build()
        const before = await world()
        const statuses = new Set<number>()
        for (const each of goes) statuses.add((await remove('worker', 'shelf', `s${each}`)).status)
        const single = await world()
        await build()
        const many = await bulk('worker', `nameIN${goes.map((each) => `s${each}`).join('@')}`)
        // 404: an earlier delete had already deleted the record.
        const isBlocked = statuses.has(409)
        expect(many.status).toBe(isBlocked ? 409 : 200)
        expect(await world()).toEqual(isBlocked ? before : single)
      }),
      { numRuns: 12 },
    )
  })

  test('users go with their roles and keys, which raises the epoch of identities', async () => {
    const users = await Promise.all(
      ['leaving1', 'leaving2'].map((name) => create('user', { user_name: name, password: 'a long password 1' })),
    )
    for (const user of users) await create('sys_user_has_role', { user_id: user, role_id: { find: { name: 'itil' } } })
    const single = errorIn(await send('admin', `DELETE /rest/v1/table/user/${users[0]}`)) as { status: number }
    const response = await send('admin', 'POST /rest/v1/bulk/user', {
      query: 'user_nameSTARTSWITHleaving',
      action: 'delete',
    })
    expect([response.status, single.status]).toEqual([409, 409])
    const roles = await send('admin', 'POST /rest/v1/bulk/sys_user_has_role', {
      query: 'user_id.user_nameSTARTSWITHleaving',
      action: 'delete',
    })
    expect(roles.body).toEqual({
      status: 'OK',
      data: { count: 2, dry_run: false, failed: 0, errors: [], dependents: [] },
    })
  })
})
