import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LOCK_SPACES } from '../../src/database/advisory-locks.ts'
import { holdLock } from '../../src/database/hold-lock.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
beforeEach(async () => {
  fresh = await freshDatabase()
})
afterEach(() => fresh.drop())

const connections = () =>
  fresh.database.rows<{ pid: number; waits: string | null }>(sql`
    select pid, wait_event_type as waits from pg_stat_activity
    where application_name = 'docket worker' and datname = current_database()`)

const waiting = () =>
  fresh.database.rows(sql`
    select pid from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`)

test('a lock that is closed while it is taken again after a broken connection leaves no connection', async () => {
  const key = [LOCK_SPACES.workers, 4_711] as const
  const errors: unknown[] = []
  const lock = await holdLock(fresh.database, key, (error) => errors.push(error))
  const other = new pg.Client({ connectionString: fresh.connectionString })
  await other.connect()
  try {
    const [held] = await connections()
    // It is in the queue before the connection breaks. A second later the lock is taken again, and on a busy machine that would be first.
    const taken = other.query('select pg_advisory_lock($1, $2)', [...key])
    await expect.poll(waiting).toHaveLength(1)
    await fresh.database.rows(sql`select pg_terminate_backend(${held?.pid ?? 0}::integer)`)
    await taken
    await expect.poll(() => lock.isHeld()).toBe(false)
    await expect.poll(async () => (await connections()).map(({ waits }) => waits)).toEqual(['Lock'])
    await lock.close()
  } finally {
    await other.end()
  }
  await expect.poll(connections).toEqual([])
  expect(lock.isHeld()).toBe(false)
  expect(errors.length).toBe(1)
})
