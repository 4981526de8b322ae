import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { type DictionaryDesk, openDesk } from './dictionary-desk.ts'

let fresh: FreshDatabase
let desks: readonly DictionaryDesk[]
beforeAll(async () => {
  fresh = await freshDatabase()
  desks = [await openDesk({ fresh }), await openDesk({ fresh })]
})
afterAll(async () => {
  for (const desk of desks) await desk.close()
  await fresh.drop()
})

test('an export of all columns has those of the moment, if one was dropped while it waited for its turn', async () => {
  const [desk, other] = desks as [DictionaryDesk, DictionaryDesk]
  await desk.table('slow')
  await desk.table('sheet')
  await desk.column('sheet', 'name', 'string')
  await desk.record('sheet', { name: 'One' })
  const waiting = () =>
    fresh.database.rows(sql`select from pg_locks where relation = 'docket.slow'::regclass and not granted`)
  const attempt = async () => {
    const dropped = await desk.column('sheet', 'dropped', 'string')
    const { slow, exported } = await fresh.database.inTransaction(async (session) => {
      await session.rows(sql`lock table docket.slow in access exclusive mode`)
      // More than the administrator may send at once: what comes next waits for its turn.
      const slow = Array.from({ length: 12 }, () => desk.send('GET /rest/v1/table/slow'))
      await expect.poll(async () => (await waiting()).length, { interval: 20 }).toBeGreaterThan(0)
      await setTimeout(300)
      const exported = desk.send('GET /rest/v1/export/sheet?format=csv')
      await setTimeout(300)
      expect((await other.send(`DELETE /rest/v1/table/sys_db_column/${dropped}`)).status).toBe(200)
      return { slow, exported }
    })
    return { slow: await Promise.all(slow), exported: await exported }
  }
  const isTooLate = ({ slow, exported }: Awaited<ReturnType<typeof attempt>>) =>
    [...slow, exported].some(({ status }) => status === 429)
  let made = await attempt()
  // Who has waited for two seconds is rejected: on a busy machine, the column may be dropped later.
  while (isTooLate(made)) made = await attempt()
  const { status, text } = made.exported
  expect([status, text.split('\r\n')[0]]).toEqual([200, expect.stringMatching(/(^|,)name(,|$)/)])
  expect(text).not.toContain('dropped')
  expect(made.slow.map((response) => response.status)).toEqual(Array(12).fill(200))
})
