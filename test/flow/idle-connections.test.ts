import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ByteClient } from '../../src/database/byte-client.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { IdleClients } from '../../src/database/idle-connections.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase('blank')
})

afterAll(() => fresh.drop())

const WHO = { name: 'who', text: 'select pg_backend_pid()' }

const opened = (maxConnections: number): Database =>
  openDatabase({ connectionString: fresh.connectionString, maxConnections, statementTimeoutMs: 15_000 })

async function serverOf(database: Database): Promise<unknown> {
  const [[processId] = []] = await database.run(WHO, [])
  return processId
}

test('statements of every kind share the connections, and all of them have their turn', async () => {
  const database = opened(2)
  const one = async (n: number): Promise<unknown> => {
    if (n % 3 === 0) return serverOf(database)
    const read = sql<{ id: number }>`select pg_backend_pid() as id, pg_sleep(0.001)`
    const [row] = n % 3 === 1 ? await database.rows(read) : await database.inTransaction(({ rows }) => rows(read))
    return row?.id
  }
  const servers = await Promise.all(Array.from({ length: 60 }, (_none, n) => one(n)))
  expect(new Set(servers).size).toBeLessThanOrEqual(2)
  expect(servers).not.toContain(undefined)
  await database.close()
})

test('a statement after another one runs on the same connection', async () => {
  const database = opened(3)
  const first = await serverOf(database)
  expect([await serverOf(database), await serverOf(database)]).toEqual([first, first])
  await database.close()
})

test('a connection that the server closed while it was idle is replaced', async () => {
  const database = opened(1)
  const before = Number(await serverOf(database))
  await fresh.database.rows(sql`select pg_terminate_backend(${before}::integer)`)
  // The end of the connection may arrive after the next statement has left, which then fails.
  let after: unknown
  while (after === undefined) after = await serverOf(database).catch(() => delay(10))
  expect(after).not.toBe(before)
  await database.close()
})

test('a transaction that fails gives its connection back', async () => {
  const database = opened(1)
  const failing = database.inTransaction(async ({ rows }) => rows(sql`select 1 / 0`))
  await expect(failing).rejects.toMatchObject({ code: '22012' })
  expect(await database.run({ name: 'one', text: 'select 1' }, [])).toEqual([[1]])
  await database.close()
})

test('connections that nothing uses go back to the pool', async () => {
  const pool = new pg.Pool({ connectionString: fresh.connectionString, max: 3, Client: ByteClient })
  const idle = new IdleClients(pool, 5)
  const taken = await Promise.all([idle.take(), idle.take(), idle.take()])
  for (const client of taken) idle.giveBack(client, false)
  expect([pool.totalCount, pool.idleCount]).toEqual([3, 0])
  while (pool.idleCount < 3) await delay(5)
  await idle.close()
  expect(pool.totalCount).toBe(0)
})

test('a connection that is given back goes to whoever waits in the pool', async () => {
  const pool = new pg.Pool({ connectionString: fresh.connectionString, max: 1, Client: ByteClient })
  const idle = new IdleClients(pool)
  const first = await idle.take()
  const waiting = idle.take()
  idle.giveBack(first, false)
  const second = await waiting
  expect(second).toBe(first)
  idle.giveBack(second, true)
  const third = await idle.take()
  expect(third).not.toBe(first)
  idle.giveBack(third, false)
  await idle.close()
})

test('a statement that runs while the database is closed ends first', async () => {
  const database = opened(2)
  await serverOf(database)
  const running = database.rows(sql<{ done: boolean }>`select true as done, pg_sleep(0.05)`)
  await database.close()
  expect(await running).toMatchObject([{ done: true }])
  await expect(serverOf(database)).rejects.toThrow('after calling end')
})
