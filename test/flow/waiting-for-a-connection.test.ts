import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { errorKindOf } from '../../src/database/database-error-kind.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
let database: Database

beforeAll(async () => {
  fresh = await freshDatabase('blank')
  database = openDatabase({
    connectionString: fresh.connectionString,
    maxConnections: 1,
    statementTimeoutMs: 15_000,
    patienceMs: 5_000,
  })
})

afterAll(async () => {
  await database.close()
  await fresh.drop()
})

test('a statement that finds no free connection fails as busy, and the next goes through', async () => {
  const one = { name: 'one', text: 'select 1' }
  await database.inTransaction(async (session) => {
    const waiting = await database.run(one, []).catch((error: unknown) => error)
    expect(errorKindOf(waiting)).toBe('busy')
    expect(await session.rows(sql`select 2 as two`)).toEqual([{ two: 2 }])
  })
  expect(await database.run(one, [])).toEqual([[1]])
})
