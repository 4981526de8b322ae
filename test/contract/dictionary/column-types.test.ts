import { afterAll, beforeAll, expect, test } from 'vitest'
import { addColumnTypes } from '../../../src/catalog/add-column-types.ts'
import { COLUMN_TYPES } from '../../../src/column-types/column-types.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

test('the dictionary has each column type, and a type that it lacks is added at a start (issue 9, step 3)', async () => {
  const { database } = fresh
  const stored = async (): Promise<readonly unknown[]> =>
    database.rows(
      sql`select name, title, storage from docket.sys_db_column_type where name <> 'record_class' order by name`,
    )
  const expected = Object.entries(COLUMN_TYPES).map(([name, { title, storage }]) => ({
    name,
    title,
    storage: storage.type,
  }))
  expect(await stored()).toEqual(expected)
  await database.rows(sql`delete from docket.sys_db_column_type where name = 'color'`)
  expect(await addColumnTypes(database)).toEqual(['color'])
  expect(await addColumnTypes(database)).toEqual([])
  expect(await stored()).toEqual(expected)
})
