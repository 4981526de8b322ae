import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { admin, type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { startDocket } from '../../harness/start-docket.ts'
import { type Stage, setStage } from './fixture.ts'
import { errorBody, ok } from './scenarios.ts'

describe('sys_schedule and sys_indication are created through a queue (docs/spec/records.md, section 8)', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage()
  })
  afterAll(() => stage.close())

  test('the response has the sys_id that the record will have, and soon the record is there', async () => {
    const made = await stage.send('admin', 'POST /rest/v1/table/sys_schedule?sysparm_fields=sys_id,name,days,active', {
      body: { name: 'Nights', days: 96 },
    })
    const record = { sys_id: '177244560000000001', name: 'Nights', days: 96, active: true }
    expect({ status: made.status, body: made.body }).toEqual({ status: 200, body: ok(record) })
    const path = new URL(made.headers.location ?? '').pathname
    expect(path).toBe('/rest/v1/table/sys_schedule/177244560000000001')
    await expect
      .poll(async () => (await stage.send('admin', `GET ${path}?sysparm_fields=sys_id,name,days,active`)).body, {
        timeout: 30_000,
      })
      .toEqual(ok(record))
  })

  test('dot-walking does not work on the response to the create', async () => {
    for (const [table, body, field] of [
      ['sys_schedule', { name: 'Days', owner: '201' }, 'owner'],
      ['sys_indication', { name: 'SLA', task: '1001' }, 'task'],
      ['sys_schedule', { name: 'Days found', owner: { find: { user_name: 'WORKER' } } }, 'owner'],
    ] as const) {
      const fieldPath = field === 'owner' ? 'owner.user_name' : 'task.number'
      const made = await stage.send(
        'admin',
        `POST /rest/v1/table/${table}?sysparm_fields=name,${field},${fieldPath}&sysparm_exclude_reference_link=1`,
        { body },
      )
      const reference = field === 'owner' ? '201' : '1001'
      expect(made.body).toEqual(ok({ ...body, [field]: reference, [fieldPath]: null }))
      const path = new URL(made.headers.location ?? '').pathname
      await expect
        .poll(async () => (await stage.send('admin', `GET ${path}?sysparm_fields=${fieldPath}`)).body, {
          timeout: 30_000,
        })
        .toEqual(ok({ [fieldPath]: field === 'owner' ? 'worker' : 'INC0000001' }))
    }
  })

  test('what is wrong is rejected at once, and nothing is queued', async () => {
    const before = await stage.fingerprint()
    const responses = await Promise.all(
      [{ days: 1 }, { name: 'x', days: 200 }, { name: 'x', owner: '999' }, { name: 'x', nothing: 1 }].map((body) =>
        stage.send('admin', 'POST /rest/v1/table/sys_schedule', { body }),
      ),
    )
    expect(responses.map(({ status, body }) => ({ status, body }))).toEqual(
      (
        [
          ['name', 'it is mandatory; give it a value'],
          ['days', 'a whole number from 0 to 127 is expected, found 200'],
          ['owner', 'there is no such record in user'],
          ['nothing', 'there is no column nothing in sys_schedule'],
        ] as const
      ).map(([field, detail]) => ({
        status: 422,
        body: errorBody('INVALID_VALUE', `The value of ${field} is rejected: ${detail}.`, { field }),
      })),
    )
    expect(await stage.fingerprint()).toBe(before)
  })

  test('a caller without the right to create is rejected', async () => {
    const response = await stage.send('worker', 'POST /rest/v1/table/sys_schedule', { body: { name: 'x' } })
    expect({ status: response.status, body: response.body }).toEqual({
      status: 403,
      body: errorBody('ACCESS_DENIED', 'You have no access to create the records of the table sys_schedule.'),
    })
  })
})

describe('the queue is durable', () => {
  let fresh: FreshDatabase
  beforeAll(async () => {
    fresh = await freshDatabase()
  })
  afterAll(() => fresh.drop())

  test('what a server did not get to, the next one makes', async () => {
    const first = await startDocket({ fresh })
    // The state after a crash: the record is queued, and no process was notified.
    await fresh.database.rows(sql`alter table docket_system.queued_record disable trigger notify_of_queued_records`)
    const made = await first.request('POST', '/rest/v1/table/sys_schedule', { as: admin, body: { name: 'Survivor' } })
    const path = new URL(made.headers.location ?? '').pathname
    expect((await first.request('GET', path, { as: admin })).status).toBe(404)
    await first.close()
    await fresh.database.rows(sql`alter table docket_system.queued_record enable trigger notify_of_queued_records`)

    const second = await startDocket({ fresh })
    await expect
      .poll(async () => (await second.request('GET', `${path}?sysparm_fields=name`, { as: admin })).body, {
        timeout: 30_000,
      })
      .toEqual(ok({ name: 'Survivor' }))
    await second.close()
  })
})
