import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../../src/database/migrations.ts'
import { ensureAdministrator } from '../../../src/identity/administrator.ts'
import { observeNothing } from '../../../src/telemetry/observation.ts'
import { describeSchema } from '../../harness/describe-schema.ts'
import { admin, type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { migrationsBefore } from '../../harness/migrations-before.ts'
import { insertRows, ownTable, snapshotRows } from '../../harness/rows-of-a-level.ts'
import { runCommand } from '../../harness/run-command.ts'
import { temporaryFolder } from '../../harness/spawn-docket.ts'
import { startDocket } from '../../harness/start-docket.ts'

// A backup of an older Docket is restored at its level and upgraded: all rows are there, and the schema is that of a new database.

const folder = temporaryFolder()
let newest: readonly string[]
beforeAll(async () => {
  const fresh = await freshDatabase()
  newest = await on(fresh, (client) => describeSchema(client, [ownTable]))
  await fresh.drop()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function on<T>({ connectionString }: FreshDatabase, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const names = readdirSync(new URL('../../../migrations/', import.meta.url))
  .filter((name) => /^\d{6}.*\.sql$/.test(name))
  .sort()
/** The first level, one between, and the last one before this version. */
const levels = [1, 12, names.length - 1]

/** A database at this level, with rows of all levels up to it. */
async function databaseAt(level: number): Promise<FreshDatabase> {
  const database = await freshDatabase('blank')
  const { connectionString } = database
  for (const each of [...new Set([1, Math.min(3, level), level])]) {
    const next = names[each]?.replace(/^\d+_|\.sql$/g, '') ?? ''
    const levelFolder = migrationsBefore(next)
    await migrate({ connectionString, observe: observeNothing, folder: levelFolder })
    rmSync(levelFolder, { recursive: true })
    await on(database, (client) => insertRows(client, each))
  }
  return database
}

test.each(levels)('level %i (issue 8, C1)', async (level) => {
  const [original, copy] = [await databaseAt(level), await freshDatabase('blank')]
  try {
    const file = join(folder, `level-${level}.backup`)
    const place = (database: FreshDatabase, name: string) => ({
      DOCKET_DATABASE_URL: database.connectionString,
      DOCKET_DATA_DIR: join(folder, `${name}-${level}`),
    })
    const written = await runCommand(place(original, 'original'), ['backup', file])
    expect([written.code, written.output]).toEqual([0, ''])
    const restored = await runCommand(place(copy, 'copy'), ['restore', file])
    expect([restored.code, restored.errors]).toEqual([0, ''])
    const [before, after] = [await on(original, snapshotRows), await on(copy, snapshotRows)]
    expect(Object.keys(before.values).length).toBeGreaterThan(10)
    // Rows that migrations add have other ids; existing values are kept (test/flow/upgrade.test.ts).
    const lost = Object.entries(before.values).filter(([row, value]) => after.values[row] !== value)
    expect(lost.map(([row, value]) => [row, value, after.values[row]])).toEqual([])
    expect(await on(copy, (client) => describeSchema(client, [ownTable]))).toEqual(newest)
    await ensureAdministrator(copy.database, { password: admin.password })
    const docket = await startDocket({ fresh: copy })
    try {
      const list = await docket.request('GET', '/rest/v1/table/task?sysparm_limit=1', { as: admin })
      expect(list.status, list.text).toBe(200)
    } finally {
      await docket.close()
    }
  } finally {
    await original.drop()
    await copy.drop()
  }
})
