import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

test('a capital Σ at the end of a word is the same letter as elsewhere, and ς is another', async () => {
  const rows = await fresh.database.rows(
    sql`select docket_system.fold('ΣΑΣ') as last, docket_system.fold('ΣΑΣΑ') as inside, docket_system.fold('σας') as written_small`,
  )
  expect(rows).toEqual([{ last: 'σασ', inside: 'σασα', written_small: 'σας' }])
})
