import { afterAll, beforeAll, expect, test } from 'vitest'
import { readVersion } from '../../src/config/version.ts'
import { checkNames } from '../../src/doctor/examine.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type Stage, setStage } from './records/fixture.ts'

/** Health and background work for the landing page of administrators (issue 13). */

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
})
afterAll(() => stage.close())

const read = async (path: string): Promise<unknown> => {
  const { status, body } = await stage.send('admin', `GET ${path}`)
  expect(status).toBe(200)
  return (body as { data: unknown }).data
}

interface Details {
  readonly examination: {
    readonly state: string
    readonly checks: readonly {
      readonly check: string
      readonly status: string
      readonly fault: string | null
      readonly message: string
    }[]
  }
}
const details = () => read('/health/details') as Promise<Details>

test('health: versions, database, files, disk, search index, and the checks of the doctor', async () => {
  await expect.poll(async () => (await details()).examination.state, { timeout: 60_000 }).toBe('done')
  const found = await details()
  expect(found).toEqual({
    version: readVersion(),
    node: process.versions.node,
    started_at: '2026-03-02 10:00:00',
    database: {
      version: expect.stringMatching(/^\d+/),
      schema: expect.stringMatching(/^\d{6}/),
      size: expect.any(Number),
    },
    files: { store: 'folder', attachments: 0, size: 0 },
    disk: { free: expect.any(Number), total: expect.any(Number) },
    search_index: { state: 'ready', percent: 100 },
    examination: { state: 'done', ended_at: '2026-03-02 10:00:00', checks: expect.any(Array) },
  })
  const { checks } = found.examination
  expect([...new Set(checks.map(({ check }) => check))]).toEqual(checkNames)
  expect(checks.find(({ check }) => check === 'jobs')).toEqual({
    check: 'jobs',
    status: 'ok',
    fault: null,
    message: expect.stringMatching(/jobs? waits?$/),
    where: null,
    cure: null,
  })
  // The clock of this server stands still at a time of its own.
  expect(checks.find(({ check }) => check === 'clock')).toEqual({
    check: 'clock',
    status: 'fault',
    fault: 'clock-differs',
    message: expect.any(String),
    where: expect.any(String),
    cure: expect.any(String),
  })
})

test('health: sentences are in the language of the caller, names and commands stay as they are (issue 13)', async () => {
  await stage.run(sql`update docket."user" set language = 'ru' where user_name = 'admin'`)
  const { checks } = (await details()).examination
  expect(checks.find(({ check }) => check === 'clock')).toEqual({
    check: 'clock',
    status: 'fault',
    fault: 'clock-differs',
    message: expect.stringMatching(/^Часы PostgreSQL (спешат|отстают) /),
    where: 'этот компьютер и PostgreSQL',
    cure: 'настройте оба компьютера на один источник времени (timedatectl set-ntp true)',
  })
  const words = checks.filter(({ message }) => /[a-z]{2,} [a-z]{2,}/.test(message)).map(({ message }) => message)
  expect(words).toEqual([])
  await stage.run(sql`update docket."user" set language = 'en' where user_name = 'admin'`)
})

test('jobs: nothing is listed while nothing runs, waits or has failed', async () => {
  await expect.poll(() => read('/v1/jobs')).toEqual([])
})

test('jobs: what failed comes first, with the reason and the records that have more', async () => {
  await stage.run(
    sql`insert into docket.sys_webhook (sys_id, name, url, active, run_as) values (901, 'Pager', 'https://example.com', false, 201)`,
  )
  await stage.run(sql`insert into docket.sys_webhook_delivery (webhook, "position", state, attempts, error, sys_created_at) values
    (901, 1, 'dead', 12, 'timeout', '2026-03-01 08:00:00'), (901, 2, 'dead', 12, 'status 500', '2026-03-01 09:00:00'),
    (901, 3, 'pending', 1, 'status 503', '2026-03-02 09:00:00'), (901, 4, 'pending', 0, null, '2026-03-02 09:30:00'),
    (901, 5, 'delivered', 1, null, '2026-03-02 09:30:00')`)
  await stage.run(sql`insert into docket.sys_db_index (sys_id, table_id, column_names, state, error, sys_created_at)
    select 902, sys_id, '{subject}', 'failed', 'no space', '2026-03-01 10:00:00' from docket.sys_db_table where name = 'task'`)
  await stage.run(
    sql`insert into docket_documents.collection (name, created_at, updated_at) values ('manuals', '2026-01-01', '2026-01-01')`,
  )
  await stage.run(sql`insert into docket_documents.load
      (collection_id, doc_id, state, problem, blob_hash, size, metadata, asked_by, asked_at)
    select id, doc, state, problem::jsonb, '\\x00', 1, '{}', 201, at::timestamp
    from docket_documents.collection, (values
      ('old', 'failed', '{"kind":"unavailable","detail":"gone","retryAfterSeconds":1}', '2026-02-01 00:00:00'),
      ('old', 'ready', null, '2026-02-02 00:00:00'),
      ('scan', 'failed', '{"kind":"unreadable-document","stage":"extract","cause":"no-text","detail":"no page has text"}', '2026-03-01 07:00:00')
    ) as v (doc, state, problem, at)`)
  const jobs = (await read('/v1/jobs')) as readonly { readonly kind: string }[]
  expect(jobs.filter(({ kind }) => kind !== 'queue')).toEqual([
    {
      kind: 'document_load',
      state: 'failed',
      name: 'manuals',
      count: 1,
      since: '2026-03-01 07:00:00',
      error: 'No text can be read from the document: no page has text (no-text, stage extract).',
      records: null,
    },
    {
      kind: 'index_build',
      state: 'failed',
      name: 'task (subject)',
      count: 1,
      since: '2026-03-01 10:00:00',
      error: 'no space',
      records: { table: 'sys_db_index', query: 'sys_id=902' },
    },
    {
      kind: 'webhook',
      state: 'failed',
      name: 'Pager',
      count: 2,
      since: '2026-03-01 08:00:00',
      error: 'status 500',
      records: { table: 'sys_webhook_delivery', query: 'webhook=901^state=dead^ORDERBYDESCsys_created_at' },
    },
    {
      kind: 'webhook',
      state: 'waiting',
      name: 'Pager',
      count: 1,
      since: '2026-03-02 09:00:00',
      error: 'status 503',
      records: { table: 'sys_webhook_delivery', query: 'webhook=901^state=pending^ORDERBYDESCsys_created_at' },
    },
  ])
})

test.each([
  ['GET /health/details', 'see the health of the server'],
  ['GET /v1/jobs', 'see background work'],
])('%s is for administrators', async (line, what) => {
  const message = `You need the role admin to ${what}.`
  for (const who of ['worker', 'nobody'] as const) {
    const { status, body } = await stage.send(who, line)
    expect({ status, body }).toEqual({
      status: 403,
      body: {
        status: 'ERROR',
        error_type: 'SERVER',
        message,
        errors: [{ message, code: 'ACCESS_DENIED' }],
        request_id: 'ID',
      },
    })
  }
  expect((await stage.send(null, line)).status).toBe(401)
})
