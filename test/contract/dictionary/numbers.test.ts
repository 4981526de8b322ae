import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { admin } from '../../harness/fresh-database.ts'
import { type DictionaryDesk, errorIn, openDesk } from './dictionary-desk.ts'

let desk: DictionaryDesk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.close())

/** A table with a writable, unique column `number`, numbered by `prefix`. @returns the sys_id of its numbering */
async function numbered(name: string, prefix: string, options: Record<string, unknown> = {}): Promise<string> {
  const table = await desk.table(name, { is_extendable: true })
  await desk.column(name, 'number', 'string', { unique: true, max_length: 40 })
  await desk.column(name, 'title', 'string')
  return desk.record('sys_number', { table_id: table, prefix, digits: 4, start: 1, ...options })
}

/** Creates records one after the other, or all at once. @returns their numbers */
async function created(table: string, count: number, isTogether = false): Promise<readonly unknown[]> {
  const one = async (): Promise<unknown> => {
    const response = await desk.send(`POST /rest/v1/table/${table}?sysparm_fields=number`, { title: 'made' })
    return response.status === 200
      ? (response.body as { data: { number: string }[] }).data[0]?.number
      : errorIn(response)
  }
  if (isTogether) return Promise.all(Array.from({ length: count }, one))
  const numbers: unknown[] = []
  for (let made = 0; made < count; made += 1) numbers.push(await one())
  return numbers
}

test('the counter moves above a number that is given in a create, a PUT or a PATCH (issue 8, B2)', async () => {
  await numbered('given', 'GV')
  expect(await created('given', 1)).toEqual(['GV0001'])
  const id = await desk.record('given', { number: 'GV0003' })
  expect(await created('given', 2)).toEqual(['GV0004', 'GV0005'])
  await desk.send(`PATCH /rest/v1/table/given/${id}`, { number: 'gv0007' })
  expect(await created('given', 1)).toEqual(['GV0008'])
  await desk.send(`PUT /rest/v1/table/given/${id}`, { number: 'GV500000' })
  expect(await created('given', 1)).toEqual(['GV500001'])
  // Numbers of another form, and numbers below the counter, do not change the counter.
  for (const number of ['GV12', 'GV-900000', 'XX9999999', 'GV9999999999999999999999'])
    await desk.record('given', { number })
  expect(await created('given', 1)).toEqual(['GV500002'])
})

test('an import with numbers moves the counter, and a create during it never collides (issue 8, B2)', async () => {
  await numbered('imported', 'IM')
  const rows = Array.from({ length: 600 }, (_row, index) => `IM${String(index + 1).padStart(4, '0')},row ${index}`)
  const [report, numbers] = await Promise.all([
    desk.docket.request('POST', '/rest/v1/import/imported', {
      as: admin,
      body: `number,title\n${rows.toReversed().join('\n')}\n`,
      headers: { 'content-type': 'text/csv' },
    }),
    created('imported', 40, true),
  ])
  // If a create has taken a number, the row of the import fails; creates never fail.
  expect(numbers.filter((number) => typeof number !== 'string')).toEqual([])
  expect(report.status).toBe(200)
  expect(new Set(numbers).size).toBe(40)
  const [next] = await created('imported', 1)
  expect(Number(String(next).slice(2))).toBeGreaterThan(600)
})

test('creates skip numbers that were written past the server, all at once too (issue 8, B2)', async () => {
  await numbered('written', 'WR')
  await desk.record('written', { title: 'first' })
  await desk.docket.database.rows(sql`insert into docket.written (number, sys_created_by, sys_updated_by)
    select 'WR' || lpad(n::text, 4, '0'), 155931135900000001, 155931135900000001 from generate_series(2, 300) as n`)
  const numbers = await created('written', 20, true)
  expect(numbers.filter((number) => typeof number !== 'string')).toEqual([])
  expect(new Set(numbers).size).toBe(20)
  // With an Idempotency-Key, the create is part of a transaction, which is repeated as a whole.
  await desk.docket.database.rows(sql`insert into docket.written (number, sys_created_by, sys_updated_by)
    select 'WR' || lpad(n::text, 4, '0'), 155931135900000001, 155931135900000001 from generate_series(400, 500) as n`)
  await desk.docket.database.rows(
    sql`select setval(format('docket_system.number_%s', n.sys_id)::regclass, 399) from docket.sys_number n where prefix = 'WR'`,
  )
  const keyed = await desk.docket.request('POST', '/rest/v1/table/written?sysparm_fields=number', {
    as: admin,
    body: { title: 'keyed' },
    headers: { 'idempotency-key': 'one' },
  })
  expect(keyed.body).toEqual({ status: 'OK', data: [{ number: 'WR0501' }] })
})

test('one number column over a hierarchy: each prefix has its counter, whichever class a number is given to (issue 8, B2)', async () => {
  await numbered('vehicle', 'VH')
  const car = await desk.table('car', { parent_id: await desk.tableId('vehicle') })
  await desk.record('sys_number', { table_id: car, prefix: 'CAR', digits: 4 })
  await desk.record('vehicle', { number: 'CAR0005' })
  await desk.record('car', { number: 'VH0009' })
  expect(await created('car', 1)).toEqual(['CAR0006'])
  expect(await created('vehicle', 1)).toEqual(['VH0010'])
})

test('two prefixes of which one begins the other never give the same number (issue 8, B2)', async () => {
  await numbered('crate', 'P', { digits: 2, start: 8 })
  const small = await desk.table('small_crate', { parent_id: await desk.tableId('crate') })
  await desk.record('sys_number', { table_id: small, prefix: 'P1', digits: 1, start: 0 })
  const numbers = [...(await created('crate', 4)), ...(await created('small_crate', 4)), ...(await created('crate', 4))]
  expect(numbers.filter((number) => typeof number !== 'string')).toEqual([])
  expect(new Set(numbers).size).toBe(12)
})

test('start moves the counter, and never back to numbers that were given (issue 8, B2)', async () => {
  const id = await numbered('started', 'ST')
  expect(await created('started', 2)).toEqual(['ST0001', 'ST0002'])
  const patch = (values: object) =>
    desk.send(`PATCH /rest/v1/table/sys_number/${id}?sysparm_fields=start,prefix`, values)
  expect((await patch({ start: 5000 })).body).toEqual({ status: 'OK', data: [{ start: '5000', prefix: 'ST' }] })
  expect(await created('started', 1)).toEqual(['ST5000'])
  // The stored value may be sent back.
  expect((await patch({ start: 5000 })).status).toBe(200)
  expect(errorIn(await patch({ start: 10 }))).toEqual({
    status: 422,
    code: 'INVALID_VALUE',
    field: 'start',
    message:
      'The value of start is rejected: numbers up to 5000 were given already, and none is given twice; at least 5001 is expected.',
  })
  expect((await patch({ start: 3_000_000 })).status).toBe(200)
  expect(await created('started', 1)).toEqual(['ST3000000'])
})

test('a dry run does not move the counter far', async () => {
  const id = await numbered('tried', 'TR')
  expect(await created('tried', 1)).toEqual(['TR0001'])
  for (const [path, file] of [
    ['sys_number?key=sys_id&dry_run=1', `sys_id,start\n${id},900000\n`],
    ['tried?dry_run=1', 'number,title\nTR900000,far\n'],
  ]) {
    const report = await desk.docket.request('POST', `/rest/v1/import/${path}`, {
      as: admin,
      body: file,
      headers: { 'content-type': 'text/csv' },
    })
    expect(report.body).toMatchObject({ data: { failed: 0, dry_run: true } })
  }
  expect(await created('tried', 1)).toEqual(['TR0002'])
})

test('no start uses up the counter: creates go on behind the highest one', async () => {
  const id = await numbered('endless', 'EL')
  const start = (value: string) =>
    desk.send(`PATCH /rest/v1/table/sys_number/${id}?sysparm_fields=start`, { start: value })
  for (const value of ['9223372036854775807', '1000000000000000000'])
    expect(errorIn(await start(value))).toMatchObject({ status: 422, code: 'INVALID_VALUE', field: 'start' })
  // A rejected start does not move the counter.
  expect(await created('endless', 1)).toEqual(['EL0001'])
  expect((await start('999999999999999999')).status).toBe(200)
  expect(await created('endless', 2)).toEqual(['EL999999999999999999', 'EL1000000000000000000'])
  const table = await desk.table('endless_too', {})
  await desk.column('endless_too', 'number', 'string')
  const numbering = { table_id: table, prefix: 'ET', digits: 4, start: '9223372036854775807' }
  expect(errorIn(await desk.send('POST /rest/v1/table/sys_number', numbering))).toMatchObject({
    status: 422,
    field: 'start',
  })
})

test('a number is not given again after its record, or its numbering, is deleted (issue 8, B2)', async () => {
  const id = await numbered('reused', 'RU')
  const record = await desk.record('reused', { number: 'RU0041' })
  expect(await created('reused', 1)).toEqual(['RU0042'])
  await desk.send(`DELETE /rest/v1/table/reused/${record}`)
  await desk.docket.database.rows(sql`delete from docket.reused`)
  expect((await desk.send(`DELETE /rest/v1/table/sys_number/${id}`)).status).toBe(200)
  await desk.record('sys_number', { table_id: await desk.tableId('reused'), prefix: 'RU', digits: 4, start: 1 })
  expect(await created('reused', 1)).toEqual(['RU0043'])
})

test('another prefix goes on behind the numbers that already have it (issue 8, B2)', async () => {
  const id = await numbered('renamed', 'OLD')
  await desk.record('renamed', { number: 'NEW0077' })
  expect(await created('renamed', 1)).toEqual(['OLD0001'])
  expect((await desk.send(`PATCH /rest/v1/table/sys_number/${id}`, { prefix: 'NEW' })).status).toBe(200)
  expect(await created('renamed', 1)).toEqual(['NEW0078'])
})
