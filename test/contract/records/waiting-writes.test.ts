import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage } from './fixture.ts'
import { ok } from './scenarios.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
})
afterAll(() => stage.close())

/** Resolves when a statement of the server waits for a lock. */
async function somebodyWaits(): Promise<void> {
  for (;;) {
    const [row] = await stage.docket.database.rows<{ waits: boolean }>(
      sql`select exists (select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()) as waits`,
    )
    if (row?.waits) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

test('a write that changes nothing responds with the record as the writer before it left it', async () => {
  const response = await stage.docket.database.inTransaction(async (session) => {
    await session.rows(sql`update docket.task set subject = 'changed' where sys_id = 1001`)
    const requested = stage.send('worker', 'PUT /rest/v1/table/task/1001?sysparm_fields=subject', { body: {} })
    await somebodyWaits()
    return { requested }
  })
  const { status, body } = await response.requested
  expect({ status, body }).toEqual({ status: 200, body: ok({ subject: 'changed' }) })
})
