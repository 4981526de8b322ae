import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type DictionaryDesk, openDesk } from './dictionary-desk.ts'

let desk: DictionaryDesk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.close())

/** The lock that every change of the dictionary holds until its commit (src/records/dictionary/change-dictionary.ts). */
const holdDictionaryLock = sql`select pg_advisory_xact_lock(7236401261)`

test('every kind of read of a dictionary table responds while a change of the dictionary is under way (issue 8, B7)', async () => {
  const [choice] = (await desk.records('sys_choice', 'sys_id')) as readonly { sys_id: string }[]
  await desk.docket.database.inTransaction(async (session) => {
    await session.rows(holdDictionaryLock)
    for (const line of [
      'GET /rest/v1/table/sys_choice?sysparm_limit=1',
      `GET /rest/v1/table/sys_choice/${choice?.sys_id}`,
      'POST /rest/v1/table/sys_choice/query',
      'GET /rest/v1/stats/sys_choice',
      'GET /rest/v1/stats/sys_db_column?sysparm_group_by=active',
    ]) {
      const response = await desk.send(line, line.startsWith('POST') ? {} : undefined)
      expect([line, response.status]).toEqual([line, 200])
    }
    const [waiting] = await session.rows<{ count: number }>(
      sql`select count(*)::integer as count from pg_locks
        where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`,
    )
    expect(waiting).toEqual({ count: 0 })
  })
})
