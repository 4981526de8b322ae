import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import { logIn } from '../../../src/identity/log-in.ts'
import { momentOf } from '../../../src/identity/moment.ts'
import { networkOfAddress } from '../../../src/identity/network-of-address.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { addUser, asPair, minuteMs, type Server, serverOn, testClock } from './people.ts'

let fresh: FreshDatabase
let database: Database
beforeAll(async () => {
  fresh = await freshDatabase()
  database = fresh.database
})
afterAll(() => fresh.drop())

const password = 'a good password'
const wrong = { ok: false, error: { kind: 'unauthenticated', reason: 'wrong' } }
const refusedFor = (retryAfterSeconds: number) => ({
  ok: false,
  error: { kind: 'too-many-attempts', retryAfterSeconds },
})

const attempt = (server: Server, userName: string, text: string, address: string) =>
  logIn(server, { userName, password: text, address })

async function fail(server: Server, times: number, userName: string, address: string): Promise<void> {
  for (let n = 0; n < times; n++) expect(await attempt(server, userName, 'a wrong one', address)).toEqual(wrong)
}

/** Counts failures as a login does, without the hashing. */
async function countFailure(server: Server, userName: string, address: string): Promise<void> {
  await server.database.rows(sql`
    select docket_system.count_failed_login(${userName}, ${networkOfAddress(address)}, ${momentOf(server.clock.nowMs())}, '15 minutes')`)
}

describe('brute force', () => {
  test('against one user from one address is slowed after three failures and refused after ten, with the right password too', async () => {
    await addUser(database, 'one', password)
    const clock = testClock()
    const server = serverOn(database, clock)
    await fail(server, 10, 'one', '198.51.100.1')
    expect(server.pauses).toEqual([100, 200, 400, 800, 1_000, 1_000])
    clock.pass(minuteMs)
    expect(await attempt(server, 'one', 'a wrong one', '198.51.100.1')).toEqual(refusedFor(14 * 60))
    expect(await attempt(server, 'ONE', password, '198.51.100.1')).toEqual(refusedFor(14 * 60))
    expect(await server.authenticator.authenticate(asPair('One', password), '198.51.100.1')).toEqual(
      refusedFor(14 * 60),
    )
    expect(await attempt(server, 'one', password, '::ffff:198.51.100.1')).toEqual(refusedFor(14 * 60))

    clock.pass(14 * minuteMs - 1)
    expect(await attempt(server, 'one', password, '198.51.100.1')).toEqual(refusedFor(1))
    clock.pass(1)
    expect((await attempt(server, 'one', password, '198.51.100.1')).ok).toBe(true)
  })

  test('leaves the user in from another address, and other users from this one', async () => {
    await addUser(database, 'two', password)
    await addUser(database, 'two.colleague', password)
    const server = serverOn(database, testClock())
    await fail(server, 10, 'two', '198.51.100.2')
    expect((await attempt(server, 'two', password, '198.51.100.3')).ok).toBe(true)
    expect((await attempt(server, 'two.colleague', password, '198.51.100.2')).ok).toBe(true)
  })

  test('is counted by all processes together', async () => {
    await addUser(database, 'three', password)
    const clock = testClock()
    const servers = [serverOn(database, clock), serverOn(database, clock)] as const
    await fail(servers[0], 5, 'three', '198.51.100.4')
    await fail(servers[1], 5, 'three', '198.51.100.4')
    for (const server of servers)
      expect(await attempt(server, 'three', password, '198.51.100.4')).toEqual(refusedFor(15 * 60))
  })

  test('over many user names from one address, or one IPv6 network, is refused after fifty failures', async () => {
    await addUser(database, 'four', password)
    const server = serverOn(database, testClock())
    for (let n = 0; n < 50; n++) {
      expect((await attempt(server, 'four', password, n % 2 === 0 ? '198.51.100.5' : '2001:db8:0:7::1')).ok).toBe(true)
      await countFailure(server, `four.${n}`, '198.51.100.5')
      await countFailure(server, `four.${n}`, `2001:db8:0:7::${n.toString(16)}`)
    }
    expect(await attempt(server, 'four', password, '198.51.100.5')).toEqual(refusedFor(15 * 60))
    expect(await attempt(server, 'four', password, '2001:db8:0:7:ffff::1')).toEqual(refusedFor(15 * 60))
    expect((await attempt(server, 'four', password, '2001:db8:0:8::1')).ok).toBe(true)
  })

  test('against one user from many addresses is refused after a hundred failures', async () => {
    await addUser(database, 'five', password)
    const server = serverOn(database, testClock())
    for (let n = 0; n < 100; n++) await countFailure(server, 'five', `203.0.113.${n}`)
    expect(await attempt(server, 'five', password, '192.0.2.200')).toEqual(refusedFor(15 * 60))
  })

  test('sent all at once gets no more than ten passwords looked at, and one more for each that is looked at beside it', async () => {
    await addUser(database, 'six', password)
    const server = serverOn(database, testClock())
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, n) => attempt(server, 'six', `wrong number ${n}`, '198.51.100.6')),
    )
    const lookedAt = outcomes.filter((outcome) => !outcome.ok && outcome.error.kind === 'unauthenticated')
    expect(lookedAt.length).toBeGreaterThanOrEqual(10)
    expect(lookedAt.length).toBeLessThanOrEqual(11)
  })

  test('is not ended by a right password in between, except for the user whose it is', async () => {
    await addUser(database, 'seven', password)
    const server = serverOn(database, testClock())
    for (let n = 0; n < 50; n++) {
      await countFailure(server, `seven.${n}`, '198.51.100.7')
      if (n % 10 === 0) expect((await attempt(server, 'seven', password, '198.51.100.7')).ok).toBe(true)
    }
    expect(await attempt(server, 'seven', password, '198.51.100.7')).toEqual(refusedFor(15 * 60))

    await fail(server, 9, 'seven', '198.51.100.8')
    expect((await attempt(server, 'seven', password, '198.51.100.8')).ok).toBe(true)
    await fail(server, 9, 'seven', '198.51.100.8')
    expect((await attempt(server, 'seven', password, '198.51.100.8')).ok).toBe(true)
  })

  test('does not shut out who has shown the right password within the minute', async () => {
    await addUser(database, 'eight', password)
    const server = serverOn(database, testClock())
    expect((await server.authenticator.authenticate(asPair('eight', password), '198.51.100.9')).ok).toBe(true)
    await fail(server, 10, 'eight', '198.51.100.9')
    expect((await server.authenticator.authenticate(asPair('eight', password), '198.51.100.9')).ok).toBe(true)
  })
})

test('counts whose window is over are cleared away by later failures', async () => {
  const own = await freshDatabase()
  try {
    const server = serverOn(own.database, testClock())
    for (let n = 0; n < 20; n++) await countFailure(server, `cleared.${n}`, `192.0.2.${n}`)
    server.clock.pass(15 * minuteMs)
    for (let n = 0; n < 3; n++) await countFailure(server, 'cleared', '192.0.2.99')
    expect(await own.database.rows(sql`select scope, failures from docket_system.failed_login order by scope`)).toEqual(
      [
        { scope: 'address', failures: 3 },
        { scope: 'name', failures: 3 },
        { scope: 'pair', failures: 3 },
      ],
    )
  } finally {
    await own.drop()
  }
})

test('neither the claimed user name nor the address stands in the table', async () => {
  const server = serverOn(database, testClock())
  await fail(server, 1, 'my secret password', '198.51.100.77')
  const rows = await database.rows<{ row: string }>(sql`select f::text as row from docket_system.failed_login f`)
  for (const { row } of rows) {
    expect(row).not.toContain('my secret password')
    expect(row).not.toContain('198.51.100.77')
  }
})
