import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type EventReader, readEvents } from '../../harness/read-events.ts'
import { PASSWORD, rule, type Stage, setStage } from '../records/fixture.ts'

let stage: Stage
let reader: EventReader | undefined
beforeAll(async () => {
  stage = await setStage([
    sql`select docket_system.define_table('paper', 'Papers', 'Papers')`,
    sql`select docket_system.define_column('paper', c, 'string', c, c, '{}'::jsonb) from unnest(array['title', 'text']) as c`,
    rule({ operation: 'read', table: 'paper', roles: ['user'], condition: 'sys_updated_byDYNAMICme^ORtitle=open' }),
    rule({ operation: 'write', table: 'paper', roles: ['user'] }),
  ])
})
afterAll(async () => {
  await reader?.close()
  await stage.close()
})

test('who may read what they wrote last gets no event of a time when another user had written the record last', async () => {
  const made = await stage.send('admin', 'POST /rest/v1/table/paper', { body: { title: 'closed', text: 'first' } })
  const id = (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
  const patch = (as: 'admin' | 'reader', body: object) => stage.send(as, `PATCH /rest/v1/table/paper/${id}`, { body })
  await patch('admin', { text: 'hidden' })
  await patch('admin', { text: 'third' })
  await patch('admin', { title: 'open' })
  expect((await patch('reader', { title: 'own' })).status).toBe(200)
  await patch('reader', { text: 'by the reader' })
  // Read after all writes: rights of the time of each change are computed from the log.
  reader = await readEvents(`${stage.docket.baseUrl}/rest/v1/events?tables=paper&last_event_id=0`, {
    authorization: `Basic ${Buffer.from(`reader:${PASSWORD}`).toString('base64')}`,
  })
  const events = await reader.until((all) => JSON.stringify(all).includes('by the reader'))
  expect(events.map(({ data }) => (data as { changes: unknown }).changes)).toEqual([
    { title: { old_value: null, new_value: 'open' }, text: { old_value: null, new_value: 'third' } },
    { title: { old_value: 'open', new_value: 'own' } },
    { text: { old_value: 'third', new_value: 'by the reader' } },
  ])
})
