import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogSource } from '../../../src/catalog/catalog-source.ts'
import { trigramOperators } from '../../../src/catalog/change/make-index.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { writeIndexStatement } from '../../../src/records/slow/index-statement.ts'
import type { ProposedIndex } from '../../../src/records/slow/propose-indexes.ts'
import { type AdoptionDesk, openAdoptionDesk } from './adoption-desk.ts'

let desk: AdoptionDesk
beforeAll(async () => {
  desk = await openAdoptionDesk('shop')
  await desk.adopt()
})
afterAll(() => desk.close())

test('the index that an adopted table lacks is SQL for its owner, which PostgreSQL takes (issue 12, 4)', async () => {
  const { database } = desk.docket
  const catalog = await catalogSource(database).current()
  const trigrams = await trigramOperators(database)
  const written = (table: string, purpose: ProposedIndex['purpose'], ...columns: readonly string[]) => {
    const described = catalog.tables.get(table)
    if (described === undefined) throw new Error(`no table ${table}`)
    return writeIndexStatement({ table, columns, purpose }, described, trigrams)
  }
  const statements = [
    written('country', 'conditions', 'name'),
    written('category', 'order', 'name'),
    written('category', 'contains', 'name'),
    written('orders', 'conditions', 'user', 'shipped'),
  ]
  expect(statements).toEqual([
    'create index concurrently on "shop"."country" (docket_system.fold("name"));',
    'create index concurrently on "shop"."category" (("name" collate docket_system.text_order));',
    `create index concurrently on "shop"."category" using gin (docket_system.fold("name") ${trigrams});`,
    'create index concurrently on "shop"."Orders" ("user", "shipped");',
  ])
  for (const statement of statements) await database.rows(sql.raw(statement ?? ''))
  // No index: values of this column are converted before they are compared.
  expect(written('orders', 'conditions', 'state')).toBeNull()
})
