import { expect, test } from 'vitest'
import { startServer } from '../../src/app.ts'
import { readSettings } from '../../src/config/settings.ts'
import { openDatabase } from '../../src/database/database.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { sql } from '../../src/kernel/sql.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import { freshDatabase } from '../harness/fresh-database.ts'
import { temporaryFolder } from '../harness/spawn-docket.ts'

test('a dictionary without what the ServiceNow API names ends the start, and nothing stays connected (issue 15, section 3)', async () => {
  const fresh = await freshDatabase()
  await fresh.database.rows(sql`
    update docket.sys_db_column c set active = false from docket.sys_db_table t
    where t.sys_id = c.table_id and (t.name, c.column_name) in (('task', 'subject'), ('user', 'language'))`)
  const start = async (servicenow: 'on' | 'off') => {
    const settings = readSettings({
      DOCKET_PORT: '0',
      DOCKET_DATA_DIR: temporaryFolder(),
      DOCKET_SERVICENOW: servicenow,
    })
    const database = openDatabase({
      connectionString: fresh.connectionString,
      maxConnections: 4,
      statementTimeoutMs: 30_000,
    })
    const parts = { settings, database, observe: observeNothing, metrics: createMetrics(), clock: systemClock }
    try {
      const server = await startServer(parts)
      await server.whenSearchable()
      await server.close()
      return 'started'
    } catch (error) {
      return error instanceof Error ? error.message : error
    } finally {
      await database.close()
    }
  }
  expect(await start('on')).toBe(
    'The ServiceNow API names what the dictionary does not have: task.short_description, user.preferred_language. Restore it, or set DOCKET_SERVICENOW=off.',
  )
  const others = sql<{ readonly n: number }>`
    select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
  // PostgreSQL ends a connection some moments after its client.
  await expect.poll(async () => (await fresh.database.rows(others))[0]?.n).toBe(0)
  expect(await start('off')).toBe('started')
  await fresh.drop()
}, 60_000)
