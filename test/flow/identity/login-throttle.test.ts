import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import { logIn } from '../../../src/identity/log-in.ts'
import { unlockUser } from '../../../src/identity/manage-users.ts'
import { momentOf } from '../../../src/identity/moment.ts'
import { networkOfAddress } from '../../../src/identity/network-of-address.ts'
import { sql } from '../../../src/kernel/sql.ts'
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
const rejectedFor = (retryAfterSeconds: number) => ({
  ok: false,
  error: { kind: 'too-many-attempts', retryAfterSeconds },
})

const attempt = (server: Server, userName: string, text: string, address: string) =>
  logIn(server, { userName, password: text, address })

let wrongPasswords = 0

/** With another wrong password each time. */
async function fail(server: Server, times: number, userName: string, address: string): Promise<void> {
  for (let n = 0; n < times; n++)
    expect(await attempt(server, userName, `wrong ${++wrongPasswords}`, address)).toEqual(wrong)
}

/** Counts failures as a login does, without the hashing. */
async function countFailure(server: Server, userName: string, address: string): Promise<void> {
  await server.database.rows(sql`
    select docket_system.count_failed_login(${userName}, ${networkOfAddress(address)}, ${momentOf(server.clock.nowMs())}, '15 minutes')`)
}

describe('brute force', () => {
  test('against one user from one address is slowed after three failures and rejected after ten, with the right password too', async () => {
    await addUser(database, 'one', password)
    const clock = testClock()
    const server = serverOn(database, clock)
    await fail(server, 10, 'one', '198.51.100.1')
    expect(server.pauses).toEqual([100, 200, 400, 800, 1_000, 1_000])
    clock.pass(minuteMs)
    expect(await attempt(server, 'one', 'a wrong one', '198.51.100.1')).toEqual(rejectedFor(14 * 60))
    expect(await attempt(server, 'ONE', password, '198.51.100.1')).toEqual(rejectedFor(14 * 60))
    expect(await server.authenticator.authenticate(asPair('One', password), '198.51.100.1')).toEqual(
      rejectedFor(14 * 60),
    )
    expect(await attempt(server, 'one', password, '::ffff:198.51.100.1')).toEqual(rejectedFor(14 * 60))

    clock.pass(14 * minuteMs - 1)
    expect(await attempt(server, 'one', password, '198.51.100.1')).toEqual(rejectedFor(1))
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
      expect(await attempt(server, 'three', password, '198.51.100.4')).toEqual(rejectedFor(15 * 60))
  })

  test('over many user names from one address, or one IPv6 network, is rejected after fifty failures', async () => {
    await addUser(database, 'four', password)
    const server = serverOn(database, testClock())
    for (let n = 0; n < 50; n++) {
      await countFailure(server, `four.${n}`, '198.51.100.5')
      await countFailure(server, `four.${n}`, `2001:db8:0:7::${n.toString(16)}`)
    }
    expect(await attempt(server, 'four', password, '198.51.100.5')).toEqual(rejectedFor(15 * 60))
    expect(await attempt(server, 'four', password, '2001:db8:0:7:ffff::1')).toEqual(rejectedFor(15 * 60))
    expect((await attempt(server, 'four', password, '2001:db8:0:8::1')).ok).toBe(true)
  })

  test('against one user from many addresses is rejected after a hundred failures', async () => {
    await addUser(database, 'five', password)
    const server = serverOn(database, testClock())
    for (let n = 0; n < 100; n++) await countFailure(server, 'five', `203.0.113.${n}`)
    expect(await attempt(server, 'five', password, '192.0.2.200')).toEqual(rejectedFor(15 * 60))
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
    await addUser(database, 'seven.colleague', password)
    const server = serverOn(database, testClock())
    for (let n = 0; n < 50; n++) {
      await countFailure(server, `seven.${n}`, '198.51.100.7')
      if (n % 10 === 0) expect((await attempt(server, 'seven', password, '198.51.100.7')).ok).toBe(true)
    }
    expect(await attempt(server, 'seven.colleague', password, '198.51.100.7')).toEqual(rejectedFor(15 * 60))

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

describe('a lock is no weapon (issue 8, A8)', () => {
  let home = ''
  let homes = 0
  beforeEach(() => {
    home = `198.51.101.${++homes}`
  })

  /** A user who signed in from home before, two days ago by the test's clock. */
  async function userAtHome(userName: string): Promise<Server> {
    await addUser(database, userName, password)
    const clock = testClock()
    expect((await attempt(serverOn(database, clock), userName, password, home)).ok).toBe(true)
    clock.pass(2 * 24 * 60 * minuteMs)
    // Another process, whose cache is empty.
    return serverOn(database, clock)
  }

  test('fifty invented names from an address leave in who signed in from there before', async () => {
    const server = await userAtHome('ann')
    for (let n = 0; n < 60; n++) await countFailure(server, `ann.${n}`, home)
    expect((await attempt(server, 'ann', password, home)).ok).toBe(true)
    expect((await server.authenticator.authenticate(asPair('ann', password), home)).ok).toBe(true)
    const session = await attempt(server, 'ann', password, home)
    expect(session.ok).toBe(true)
  })

  test('110 failures with a name from everywhere leave the user in at a network that they signed in from before', async () => {
    const server = await userAtHome('bob')
    for (let n = 0; n < 110; n++) await countFailure(server, 'bob', `203.0.113.${n}`)
    expect(await attempt(server, 'bob', password, '198.51.100.11')).toEqual(rejectedFor(15 * 60))
    expect((await attempt(server, 'bob', password, home)).ok).toBe(true)
  })

  test('under a lock nobody learns who signed in from a network: a wrong password gets one response, at one time', async () => {
    const server = await userAtHome('cid')
    for (let n = 0; n < 50; n++) await countFailure(server, `cid.${n}`, home)
    const seen = async (userName: string) => {
      const before = server.pauses.length
      const responses = []
      for (let n = 0; n < 12; n++) responses.push(await attempt(server, userName, `wrong ${n}`, home))
      return { responses, pauses: server.pauses.slice(before) }
    }
    const ofNobody = await seen('nobody.at.all')
    expect(await seen('cid')).toEqual(ofNobody)
    expect(ofNobody.responses).toEqual(Array(12).fill(rejectedFor(15 * 60)))
    expect(ofNobody.pauses).toEqual(Array(10).fill(1_000))
    server.clock.pass(15 * minuteMs)
    expect(await attempt(server, 'nobody.at.all', 'wrong', home)).toEqual(wrong)
    expect(await attempt(server, 'cid', 'wrong', home)).toEqual(wrong)
  })

  test('one wrong password over and over counts once, for a user and for nobody, in all processes', async () => {
    const server = await userAtHome('dan')
    const other = serverOn(database, server.clock)
    for (const userName of ['dan', 'nobody.of.this.name']) {
      for (let n = 0; n < 30; n++)
        expect(await attempt(n % 2 === 0 ? server : other, userName, 'the old password', home)).toEqual(wrong)
    }
    expect([...server.pauses, ...other.pauses]).toEqual([])
    expect((await attempt(server, 'dan', password, home)).ok).toBe(true)
  })

  test('a name and password that were right a minute ago pass every lock, also by a login', async () => {
    const server = await userAtHome('eve')
    const pair = asPair('eve', password)
    expect((await server.authenticator.authenticate(pair, home)).ok).toBe(true)
    await fail(server, 9, 'eve', home)
    expect(await attempt(server, 'eve', 'yet another', home)).toEqual(wrong)
    expect(await attempt(server, 'eve', 'and another', home)).toEqual(rejectedFor(15 * 60))
    for (let n = 0; n < 60; n++) await countFailure(server, `eve.${n}`, home)
    for (let minutes = 0; minutes < 5; minutes++) {
      server.clock.pass(minuteMs)
      expect((await server.authenticator.authenticate(pair, home)).ok).toBe(true)
      expect((await attempt(server, 'eve', password, home)).ok).toBe(true)
    }
  })

  test('a network is forgotten half a year after the last login', async () => {
    const server = await userAtHome('fay')
    server.clock.pass(180 * 24 * 60 * minuteMs)
    for (let n = 0; n < 50; n++) await countFailure(server, `fay.${n}`, home)
    expect(await attempt(server, 'fay', password, home)).toEqual(rejectedFor(15 * 60))
  })

  test('unlocking a user lifts the locks of the name, of its networks and of both together', async () => {
    await addUser(database, 'gus', password)
    const server = serverOn(database, testClock())
    await fail(server, 10, 'gus', '198.51.100.20')
    for (let n = 0; n < 50; n++) await countFailure(server, `gus.${n}`, '198.51.100.21')
    for (let n = 0; n < 100; n++) await countFailure(server, 'gus', `203.0.113.${n}`)
    for (const address of ['198.51.100.20', '198.51.100.21', '198.51.100.22'])
      expect(await attempt(server, 'GUS', password, address)).toEqual(rejectedFor(15 * 60))
    expect(await unlockUser(database, 'Gus')).toEqual({ ok: true, value: undefined })
    for (const address of ['198.51.100.20', '198.51.100.21', '198.51.100.22'])
      expect((await attempt(server, 'gus', password, address)).ok).toBe(true)
    expect(await unlockUser(database, 'ghost')).toEqual({
      ok: false,
      error: { kind: 'thing-not-found', thing: 'user', name: 'ghost' },
    })
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
