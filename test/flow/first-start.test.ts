import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { migrate } from '../../src/database/migrations.ts'
import { sql } from '../../src/kernel/sql.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
}

const statusOf = (url: string, headers: Record<string, string> = {}): Promise<number | 'no connection'> =>
  fetch(url, { headers }).then(
    ({ status }) => status,
    () => 'no connection' as const,
  )

/** Whether a start waits for the lock that keeps it from setting the administrator's password. */
async function administratorIsWaiting({ database }: FreshDatabase): Promise<boolean> {
  const [found] = await database.rows<{ readonly waits: boolean }>(sql`
    select exists (select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%update docket."user" set password%') as waits`)
  return found?.waits === true
}

test.each([1, 2])(
  'with %i workers, /health and /ready are 200 only after the administrator exists, and the first sign-in works (issue 8, B1)',
  async (workers) => {
    const fresh = await freshDatabase('blank')
    try {
      await migrate({ connectionString: fresh.connectionString, observe: observeNothing })
      const port = await freePort()
      const base = `http://127.0.0.1:${port}`
      const password = 'correct horse battery'
      const before = await fresh.database.inTransaction(async (session) => {
        await session.rows(sql`lock table docket."user" in share mode`)
        const starting = spawnDocket({
          DOCKET_DATABASE_URL: fresh.connectionString,
          DOCKET_DATA_DIR: temporaryFolder(),
          DOCKET_PORT: String(port),
          DOCKET_WORKERS: String(workers),
          DOCKET_ADMIN_PASSWORD: password,
        })
        await expect.poll(() => administratorIsWaiting(fresh), { timeout: 60_000 }).toBe(true)
        return { starting, health: await statusOf(`${base}/health`), ready: await statusOf(`${base}/ready`) }
      })
      expect([before.health, before.ready]).toEqual(['no connection', 'no connection'])

      await expect.poll(() => statusOf(`${base}/health`), { timeout: 60_000, interval: 2 }).toBe(200)
      const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
      expect(await statusOf(`${base}/rest/v1/table/task`, { authorization })).toBe(200)
      expect(await statusOf(`${base}/ready`)).toBe(200)
      await (await before.starting).stop()
      expect(await fresh.database.rows(sql`select scope from docket_system.failed_login`)).toEqual([])
    } finally {
      await fresh.drop()
    }
  },
)
