import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onCopyConnection } from '../../src/database/copy-connection.ts'
import { sql } from '../../src/kernel/sql.ts'
import { schemaText } from '../../tools/schema-text.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

/** PostgreSQL prints definitions differently in each major version. */
const writtenBy = 18

test('migrations/schema.sql is the schema that the migrations make; npm run schema writes it (issue 9, step 8)', async () => {
  const [server] = await fresh.database.rows(
    sql<{ major: number }>`select current_setting('server_version_num')::integer / 10000 as major`,
  )
  if (server?.major !== writtenBy) return
  const stored = readFileSync(new URL('../../migrations/schema.sql', import.meta.url), 'utf8')
  expect(await onCopyConnection(fresh.connectionString, 'schema', schemaText)).toBe(stored)
})
