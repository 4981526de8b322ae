import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemTable } from '../../src/catalog/system-tables.ts'
import { migrate } from '../../src/database/migrations.ts'
import { ensureAdministrator } from '../../src/identity/administrator.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import { describeSchema } from '../harness/describe-schema.ts'

import { admin, copyDatabase, type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import {
  insertRows,
  levelsWithDocuments,
  ownTable,
  type RowsByTable,
  snapshotRows,
} from '../harness/rows-of-a-level.ts'
import { startDocket } from '../harness/start-docket.ts'

const migrationFolder = fileURLToPath(new URL('../../migrations/', import.meta.url))
const files = readdirSync(migrationFolder)
  .filter((name) => /^\d{6}.*\.sql$/.test(name))
  .sort()

/** Upgraded level by level, with rows added at each: a copy of it is the database of somebody who stopped upgrading at this level. */
let chain: FreshDatabase
let folder: string
let newest: readonly string[]
beforeAll(async () => {
  chain = await freshDatabase('blank')
  folder = mkdtempSync(join(tmpdir(), 'docket-upgrade-'))
  const fresh = await freshDatabase()
  newest = await on(fresh, (client) => describeSchema(client, [ownTable]))
  await fresh.drop()
})
afterAll(async () => {
  await chain.drop()
  rmSync(folder, { recursive: true })
})

async function on<T>({ connectionString }: FreshDatabase, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Levels whose upgraded database is also served: a server depends on the schema and the rows, and both are compared at every level.
 * A database of the last level has the rows of all levels.
 */
const servedLevels = new Set([1, 9, 24, 40, files.length])

/** Rows whose id a list over HTTP does not return. */
async function missingOverHttp(upgraded: FreshDatabase, level: number, rows: RowsByTable): Promise<readonly string[]> {
  await ensureAdministrator(upgraded.database, { password: admin.password })
  const docket = await startDocket({ fresh: upgraded })
  try {
    const missing: string[] = []
    for (const [name, { table, ids }] of Object.entries(rows)) {
      // Only their user can read rows of a personal table.
      if (systemTable(table).isPersonal) continue
      const path = `/rest/v1/table/${table}?sysparm_limit=0&sysparm_fields=sys_id&sysparm_no_count=1`
      const { status, text } = await docket.request('GET', path, { as: admin })
      if (status !== 200) missing.push(`${name}: ${status} ${text}`)
      missing.push(...ids.filter((id) => !text.includes(`"${id}"`)).map((id) => `${name} ${id}`))
    }
    const collections = await docket.request('GET', '/get_list_of_collection', { as: admin })
    if (!levelsWithDocuments(level).every((each) => collections.text.includes(`"kb-${each}"`)))
      missing.push(`collections: ${collections.text}`)
    return missing
  } finally {
    await docket.close()
  }
}

test.each(files.map((file, at) => ({ level: at + 1, file })))(
  'a database at level $level with rows is upgraded: all rows are there, and the schema is that of a new one (issue 8, C3)',
  async ({ level, file }) => {
    copyFileSync(join(migrationFolder, file), join(folder, file))
    await migrate({ connectionString: chain.connectionString, observe: observeNothing, folder })
    await on(chain, (client) => insertRows(client, level))
    const upgraded = await copyDatabase(chain)
    try {
      const before = await on(upgraded, snapshotRows)
      await migrate({ connectionString: upgraded.connectionString, observe: observeNothing })
      const after = await on(upgraded, snapshotRows)
      const lost = Object.entries(before.values).filter(([row, value]) => after.values[row] !== value)
      expect(lost.map(([row, value]) => [row, value, after.values[row]])).toEqual([])
      expect(await on(upgraded, (client) => describeSchema(client, [ownTable]))).toEqual(newest)
      if (servedLevels.has(level)) expect(await missingOverHttp(upgraded, level, before.byTable)).toEqual([])
    } finally {
      await upgraded.drop()
    }
  },
)
