import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
/** One connection, so that every statement finds the state that the one before left. */
let database: Database

beforeAll(async () => {
  fresh = await freshDatabase('blank')
  database = openDatabase({ connectionString: fresh.connectionString, maxConnections: 1, statementTimeoutMs: 15_000 })
})

afterAll(async () => {
  await database.close()
  await fresh.drop()
})

test('values come back by the types of their columns, the first time and every time after', async () => {
  const statement = {
    name: 'types',
    text: `select true, false, 7::smallint, 8, 155931135900000001, 1.50, 'ё"\\', null::integer,
      array['a', null, '"'], '{"a": 1}'::jsonb, timestamp '2026-11-21 10:00:00', $1::text`,
  }
  const row = [
    ...[true, false, 7, 8, '155931135900000001', '1.50', 'ё"\\', null],
    ...[['a', null, '"'], { a: 1 }, '2026-11-21 10:00:00'],
  ]
  expect(await database.run(statement, ['x'])).toEqual([[...row, 'x']])
  expect(await database.run(statement, ['y'])).toEqual([[...row, 'y']])
})

test('values of every kind arrive as they are', async () => {
  const statement = {
    name: 'values',
    text: 'select $1::text, $2::bigint, $3::boolean, $4::text[], $5::bytea, $6::jsonb',
  }
  const values = ['', 7, false, ['a,b', '"', '\\', null], Buffer.from([0, 255]), { a: ['b'] }]
  const row = ['', '7', false, ['a,b', '"', '\\', null], '\\x00ff', { a: ['b'] }]
  expect(await database.run(statement, values)).toEqual([row])
  expect(await database.run(statement, [null, null, null, null, null, null])).toEqual([Array(6).fill(null)])
})

test('any number of rows comes in order', async () => {
  const statement = { name: 'rows', text: 'select n from generate_series(1, $1::integer) n' }
  for (const count of [0, 1, 3_000, 0]) {
    expect(await database.run(statement, [count])).toEqual(Array.from({ length: count }, (_none, at) => [at + 1]))
  }
})

test('a statement without a result gives no rows', async () => {
  await database.run({ name: 'make', text: 'create temporary table noted (what text)' }, [])
  const note = { name: 'note', text: 'insert into noted values ($1)' }
  expect(await database.run(note, ['a'])).toEqual([])
  expect(await database.run(note, ['b'])).toEqual([])
  expect(await database.run({ name: 'read', text: 'select what from noted' }, [])).toEqual([['a'], ['b']])
})

test('a statement that failed runs again, whether it failed at a value or on its way', async () => {
  const divide = { name: 'divide', text: 'select 6 / $1::integer' }
  await expect(database.run(divide, ['two'])).rejects.toMatchObject({ code: '22P02' })
  await expect(database.run(divide, [0])).rejects.toMatchObject({ code: '22012' })
  expect(await database.run(divide, [2])).toEqual([[3]])
  await expect(database.run(divide, [0])).rejects.toMatchObject({ code: '22012' })
  expect(await database.run(divide, [3])).toEqual([[2]])
})

test('a text that is no statement is rejected each time', async () => {
  const nonsense = { name: 'nonsense', text: 'select from where' }
  await expect(database.run(nonsense, [])).rejects.toMatchObject({ code: '42601' })
  await expect(database.run(nonsense, [])).rejects.toMatchObject({ code: '42601' })
})

test('a second text under a name is rejected before it is sent', async () => {
  await database.run({ name: 'same', text: 'select 1' }, [])
  await expect(database.run({ name: 'same', text: 'select 2' }, [])).rejects.toThrow(
    'two statements have the name same',
  )
  expect(await database.run({ name: 'same', text: 'select 1' }, [])).toEqual([[1]])
})

test('the error tells where the statement was asked for', async () => {
  const error = await database.run({ name: 'fails', text: 'select 1 / 0' }, []).catch((thrown: Error) => thrown)
  expect(String((error as Error).stack)).toContain('prepared-statements.test.ts')
})

test('statements of a transaction run on its connection', async () => {
  await database.inTransaction(async (session) => {
    const read = { name: 'id', text: 'select txid_current()' }
    expect(await session.run(read, [])).toEqual(await session.run(read, []))
  })
})
