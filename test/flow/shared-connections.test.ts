import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ByteClient } from '../../src/database/byte-client.ts'
import { errorKindOf } from '../../src/database/database-error-kind.ts'
import { IdleClients } from '../../src/database/idle-connections.ts'
import { NamedStatement, type PreparedStatement } from '../../src/database/named-statement.ts'
import { SharedClients, type SharingLimits } from '../../src/database/shared-connections.ts'
import { encodeText } from '../../src/kernel/encoded-text.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
let closings: (() => Promise<void>)[] = []

beforeAll(async () => {
  fresh = await freshDatabase('blank')
})
afterEach(async () => {
  for (const close of closings) await close()
  closings = []
})
afterAll(() => fresh.drop())

type Rows = NamedStatement['rows']

interface Connections {
  readonly idle: IdleClients
  /** Runs a statement on a connection that it may share. */
  share(statement: PreparedStatement, values?: readonly unknown[]): Rows
  /** Each of these has been run, so the server knows its name. */
  parse(...statements: readonly PreparedStatement[]): Promise<void>
}

const asText = (): null => null

/** Every statement shares a connection if the limits allow it, however long the ones before took. */
function open(maxConnections: number, limits: Partial<SharingLimits> = {}, isFull = () => false): Connections {
  const pool = new pg.Pool({ connectionString: fresh.connectionString, max: maxConnections, Client: ByteClient })
  const idle = new IdleClients(pool)
  closings.push(() => (pool.ending ? Promise.resolve() : idle.close()))
  const unlimited = { maxStatements: 100, maxWaitMs: Number.POSITIVE_INFINITY, patienceMs: 1e6 }
  const shared = new SharedClients(idle, isFull, { ...unlimited, ...limits })
  const alone = async (statement: PreparedStatement, values: readonly unknown[]): Promise<Awaited<Rows>> => {
    const client = await idle.take()
    const running = new NamedStatement(statement, values, asText)
    client.send(running)
    return running.rows.finally(() => idle.giveBack(client, false))
  }
  const share: Connections['share'] = (statement, values = []) =>
    shared.run(new NamedStatement(statement, values, asText), () => alone(statement, values))
  return {
    idle,
    share,
    async parse(...statements) {
      for (const statement of statements) await share(statement, [1])
    },
  }
}

const WHO: PreparedStatement = { name: 'who', text: 'select pg_backend_pid()::text, $1::integer::text' }
const DIVIDE: PreparedStatement = { name: 'divide', text: 'select (6 / $1::integer)::text' }
/** Waits as long as somebody else has the lock of this number. */
const LOCKED: PreparedStatement = {
  name: 'locked',
  text: `select pg_backend_pid()::text, pg_advisory_lock_shared($1::integer)::text, pg_advisory_unlock_shared($1::integer)::text`,
}

/** Nobody else gets the lock until it is released. */
async function holdLock(number: number): Promise<{ release(): Promise<void>; waiter(): Promise<number> }> {
  const client = new pg.Client({ connectionString: fresh.connectionString })
  await client.connect()
  await client.query(`select pg_advisory_lock(${number})`)
  return {
    release: () => client.end(),
    /** @returns the process that waits for the lock, as soon as there is one */
    async waiter() {
      for (;;) {
        const { rows } = await client.query(
          `select pid from pg_locks where locktype = 'advisory' and objid = $1 and not granted
             and database = (select oid from pg_database where datname = current_database())`,
          [number],
        )
        if (rows[0] !== undefined) return rows[0].pid
      }
    },
  }
}

const first = (rows: Awaited<Rows>): unknown => rows[0]?.[0]

test('statements of the same moment run on one connection, and each has its own rows', async () => {
  const { share, parse } = open(5)
  await parse(WHO)
  const rows = await Promise.all([1, 2, 3, 4].map((n) => share(WHO, [n])))
  expect(rows.map(([row]) => row?.[1])).toEqual(['1', '2', '3', '4'])
  expect(new Set(rows.map(first)).size).toBe(1)
})

test('a connection takes so many statements, and the next one takes another', async () => {
  const { share, parse } = open(5, { maxStatements: 2 })
  await parse(WHO)
  const servers = (await Promise.all([1, 2, 3].map((n) => share(WHO, [n])))).map(first)
  expect(servers[1]).toBe(servers[0])
  expect(servers[2]).not.toBe(servers[0])
})

test('statements are not sent behind others if those before took long', async () => {
  const { share, parse } = open(5, { maxWaitMs: 0 })
  await parse(WHO)
  const servers = await Promise.all([1, 2, 3].map((n) => share(WHO, [n])))
  expect(new Set(servers.map(first)).size).toBe(3)
})

test('values are read as each statement wants them, whatever runs before and behind', async () => {
  const { share, parse } = open(1)
  const text = { name: 'text', text: `select 'ж' || $1::integer` }
  const encoded = { name: 'encoded', text: `select 'ё' || $1::integer, 'ж'`, encodedAt: 0 }
  const bytes = { name: 'bytes', text: `select '\\x00ff'::bytea, 'ж' || $1::integer`, bytesAt: 0 }
  await parse(text, encoded, bytes)
  const all = [text, encoded, bytes, encoded, text, bytes]
  const asText = [['ж1']]
  const asEncoded = [[encodeText('ё1'), 'ж']]
  const asBytes = [[Buffer.from([0, 255]), 'ж1']]
  expect(await Promise.all(all.map((each) => share(each, [1])))).toEqual([
    ...[asText, asEncoded, asBytes],
    ...[asEncoded, asText, asBytes],
  ])
})

test('an error ends one statement, not those before and behind it', async () => {
  const { share, parse } = open(1)
  await parse(DIVIDE)
  const [two, failed, three, wrong, six] = await Promise.allSettled([3, 0, 2, 'two', 1].map((n) => share(DIVIDE, [n])))
  expect([two, three, six]).toEqual(['2', '3', '6'].map((value) => ({ status: 'fulfilled', value: [[value]] })))
  expect(failed).toMatchObject({ reason: { code: '22012' } })
  expect(wrong).toMatchObject({ reason: { code: '22P02' } })
})

test('a statement that is new to the server is parsed once on each connection', async () => {
  const { share, parse } = open(5)
  await parse(WHO)
  const rows = await Promise.all([1, 2, 3].map(() => share(DIVIDE, [2])))
  expect(rows).toEqual([[['3']], [['3']], [['3']]])
})

test('a statement that cannot be parsed leaves those behind it alone', async () => {
  const { share, parse } = open(1)
  await parse(WHO)
  const nonsense = { name: 'nonsense', text: 'select from where' }
  for (const _time of [1, 2]) {
    const [failed, done] = await Promise.allSettled([share(nonsense), share(WHO, [7])])
    expect(failed).toMatchObject({ reason: { code: '42601' } })
    expect(done).toMatchObject({ value: [[expect.any(String), '7']] })
  }
})

test('a second text under a name is rejected, and others go on', async () => {
  const { share, parse } = open(1)
  await parse(WHO)
  const [done, failed, behind] = await Promise.allSettled([
    share(WHO, [1]),
    share({ ...WHO, text: 'select 1' }),
    share(WHO, [2]),
  ])
  expect(failed).toMatchObject({ reason: { message: 'two statements have the name who' } })
  expect([done, behind]).toMatchObject([{ value: [[expect.any(String), '1']] }, { value: [[expect.any(String), '2']] }])
})

test('when the connection is lost, every statement on it fails as unreachable, and the next ones run on another', async () => {
  const { share, parse } = open(1)
  await parse(LOCKED, WHO)
  const lock = await holdLock(11)
  const running = [share(LOCKED, [11]), share(WHO, [1]), share(WHO, [2])]
  const ended = Promise.allSettled(running)
  await fresh.database.rows(sql`select pg_terminate_backend(${await lock.waiter()}::integer)`)
  const kinds = (await ended).map((each) => each.status === 'rejected' && errorKindOf(each.reason))
  expect(kinds).toEqual(['unreachable', 'unreachable', 'unreachable'])
  await lock.release()
  expect(await share(WHO, [3])).toEqual([[expect.any(String), '3']])
})

test('what waits behind a slow statement is sent again on another connection', async () => {
  const { share, parse } = open(2, { patienceMs: 5 })
  await parse(LOCKED, WHO)
  const lock = await holdLock(12)
  const slow = share(LOCKED, [12])
  const server = String(await lock.waiter())
  const behind = await share(WHO, [1])
  expect(behind).toEqual([[expect.any(String), '1']])
  expect(first(behind)).not.toBe(server)
  await lock.release()
  expect(first(await slow)).toBe(server)
})

test('a cancelled statement is the only one that fails', async () => {
  const { share, parse } = open(1)
  await parse(LOCKED, WHO)
  const lock = await holdLock(13)
  const ended = Promise.allSettled([share(LOCKED, [13]), share(WHO, [1])])
  await fresh.database.rows(sql`select pg_cancel_backend(${await lock.waiter()}::integer)`)
  const [cancelled, behind] = await ended
  expect(cancelled).toMatchObject({ reason: { code: '57014' } })
  expect(behind).toMatchObject({ value: [[expect.any(String), '1']] })
  await lock.release()
})

test('nothing is sent behind others while somebody waits for a connection', async () => {
  const { share, parse, idle } = open(1)
  await parse(LOCKED, WHO)
  const lock = await holdLock(14)
  const running = share(LOCKED, [14])
  await lock.waiter()
  const order: string[] = []
  const taken = Promise.resolve(idle.take()).then((client) => {
    order.push('whole connection')
    idle.giveBack(client, false)
  })
  const late = share(WHO, [1]).then(() => order.push('shared'))
  await lock.release()
  await Promise.all([running, taken, late])
  expect(order).toEqual(['whole connection', 'shared'])
})

test('connections close when the last statement on them has ended', async () => {
  const { share, parse, idle } = open(1)
  await parse(LOCKED, WHO)
  const lock = await holdLock(15)
  const running = [share(LOCKED, [15]), share(WHO, [1])]
  await lock.waiter()
  const closed = idle.close()
  await expect(share(WHO, [2])).rejects.toThrow('after calling end')
  await lock.release()
  await closed
  expect((await Promise.all(running))[1]).toEqual([[expect.any(String), '1']])
})

test('a connection that holds too many statements is replaced when all on it have ended', async () => {
  let isFull = false
  const { share, parse } = open(1, {}, () => isFull)
  await parse(WHO)
  isFull = true
  const both = (await Promise.all([share(WHO, [1]), share(WHO, [2])])).map(first)
  expect(both[1]).toBe(both[0])
  isFull = false
  expect(first(await share(WHO, [3]))).not.toBe(both[0])
})
