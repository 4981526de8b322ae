import { AccessDenied, ConflictError, connect, type Docket, NetworkError, q } from 'docket-client'
import {
  createMany,
  deleteMany,
  exportFile,
  ImportInterrupted,
  type ImportOutcome,
  updateMany,
  upsertMany,
} from 'docket-client/bulk'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Desk } from '../../fixtures/docket-client/desk.ts'
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts'
import { admin } from '../../harness/fresh-database.ts'
import type { RunningDocket } from '../../harness/start-docket.ts'
import { startWithEquipment } from './equipment.ts'

let running: RunningDocket
let proxy: FaultProxy
let docket: Docket<Desk>
beforeAll(async () => {
  running = await startWithEquipment()
  proxy = await startFaultProxy(running.baseUrl)
  docket = connect<Desk>({ url: proxy.url, login: { username: admin.user, password: admin.password } })
})
afterEach(() => proxy.heal())
afterAll(async () => {
  await proxy.close()
  await running.close()
})

const IMPORT = /^POST \/rest\/v1\/import\/json/

/** Rows that are made while they are sent. */
async function* numbered(
  name: string,
  count: number,
): AsyncGenerator<{ readonly name: string; readonly count: number }> {
  for (let number = 1; number <= count; number += 1) yield { name: `${name} ${number}`, count: number }
}

const countOf = (name: string): Promise<number> =>
  docket
    .table('equipment')
    .list(q<Desk, 'equipment'>().where('name', 'STARTSWITH', `${name} `))
    .count()

describe('createMany', () => {
  test('writes each row once, also when responses are lost', async () => {
    proxy.fail(IMPORT, { kind: 'cut-after' }, 2)
    const progress: number[] = []
    const outcome = await createMany(docket, 'equipment', numbered('lost', 1_203), {
      onProgress: ({ rows }) => progress.push(rows),
    })
    expect(outcome).toEqual({
      rows: 1_203,
      inserted: 1_203,
      updated: 0,
      skipped: 0,
      failed: 0,
      errors: [],
      ignoredColumns: [],
    })
    expect(progress).toEqual([500, 1_000, 1_203])
    expect(await countOf('lost')).toBe(1_203)
  })

  test('reports rejected rows by their number, and writes the others', async () => {
    const rows = [...Array(501).keys()].map((at) => ({ name: `checked ${at + 1}`, condition: 'good' as const }))
    const wrong = {
      name: 'checked 502',
      condition: 'new',
      sys_created_at: '2026-01-01 00:00:00',
    } as unknown as (typeof rows)[0]
    expect(await createMany(docket, 'equipment', [...rows, wrong])).toEqual({
      rows: 502,
      inserted: 501,
      updated: 0,
      skipped: 0,
      failed: 1,
      errors: [{ line: 502, code: 'INVALID_VALUE', field: 'condition', message: expect.stringContaining('new') }],
      ignoredColumns: ['sys_created_at'],
    })
    expect(await countOf('checked')).toBe(501)
  })

  test('a dry run writes nothing', async () => {
    const { inserted } = await createMany(docket, 'equipment', numbered('dry', 2), { dryRun: true })
    expect([inserted, await countOf('dry')]).toEqual([2, 0])
  })

  test('says what is written when it stops, and goes on with the same key', async () => {
    const idempotencyKey = 'a second call goes on'
    let sent = 0
    const stopped = await createMany(docket, 'equipment', numbered('resumed', 1_100), {
      idempotencyKey,
      onProgress: ({ rows }) => {
        sent = rows
        proxy.fail(IMPORT, { kind: 'respond', status: 403 })
      },
    }).catch((error: unknown) => error)
    expect(stopped).toMatchObject({
      name: 'ImportInterrupted',
      message: expect.stringMatching(/^The import stopped after 500 rows: /),
      cause: expect.any(AccessDenied),
      outcome: { rows: 500, inserted: 500, failed: 0 } satisfies Partial<ImportOutcome>,
    })
    expect([sent, await countOf('resumed')]).toEqual([500, 500])
    proxy.heal()
    const again = await createMany(docket, 'equipment', numbered('resumed', 1_100), { idempotencyKey })
    expect(again).toMatchObject({ rows: 1_100, failed: 0 })
    expect(await countOf('resumed')).toBe(1_100)
  })
})

test('upsertMany changes records that are there and creates the others, once', async () => {
  await docket.table('equipment').create({ name: 'keyed 1', serial: 'S-1', count: 1 })
  const rows = [
    { name: 'keyed 1', serial: 'S-1', count: 7 },
    { name: 'keyed 2', serial: 'S-2', count: 8 },
  ]
  expect(await upsertMany(docket, 'equipment', rows, { key: ['serial'] })).toMatchObject({ inserted: 1, updated: 1 })
  expect(await upsertMany(docket, 'equipment', rows, { key: ['serial'], onHit: 'skip' })).toMatchObject({ skipped: 2 })
  const found = await docket
    .table('equipment')
    .list('serialSTARTSWITHS-^ORDERBYserial', { fields: ['name', 'serial', 'count'] })
    .toArray({ max: 9 })
  expect(found).toEqual(rows)
})

test('upsertMany sends rows once: after a lost response it says so, and no journal has an entry twice', async () => {
  proxy.fail(IMPORT, { kind: 'cut-after' }, 1)
  const rows = [{ name: 'noted', serial: 'N-1', notes: 'Checked' }]
  const stopped = await upsertMany(docket, 'equipment', rows, { key: ['serial'] }).catch((error: unknown) => error)
  expect(stopped).toBeInstanceOf(ImportInterrupted)
  expect(stopped).toMatchObject({ cause: { name: 'NetworkError', isUncertain: true }, outcome: { rows: 0 } })
  expect(proxy.met(IMPORT)).toBe(1)
  const entries = await docket.request<readonly unknown[]>({
    method: 'GET',
    path: '/rest/v1/table/sys_journal_entry?sysparm_query=column_name=notes&sysparm_fields=value',
  })
  expect(entries).toEqual([{ value: 'Checked' }])
})

test('writes of many records have no limit of time, unless the caller gives one', async () => {
  // Calls without a limit of their own get one that no response meets.
  const hurried: Docket<Desk> = Object.create(docket, {
    send: { value: (request: Parameters<typeof docket.send>[0]) => docket.send({ timeoutMs: 0, ...request }) },
  })
  const query = q<Desk, 'equipment'>().where('serial', '=', 'T-1')
  expect(await createMany(hurried, 'equipment', [{ name: 'timed', serial: 'T-1' }])).toMatchObject({ inserted: 1 })
  expect(await upsertMany(hurried, 'equipment', [{ serial: 'T-1' }], { key: ['serial'] })).toMatchObject({ updated: 1 })
  expect(await updateMany(hurried, 'equipment', { query, values: { count: 1 } })).toMatchObject({ count: 1 })
  expect(await deleteMany(hurried, 'equipment', { query })).toMatchObject({ count: 1 })
  const ended = await createMany(hurried, 'equipment', [{ name: 'timed' }], { timeoutMs: 0 }).catch((error) => error)
  expect(ended).toMatchObject({ name: 'ImportInterrupted', cause: { code: 'TIMEOUT' } })
})

describe('updateMany and deleteMany', () => {
  const query = q<Desk, 'equipment'>().where('name', 'STARTSWITH', 'many ')

  test('change all records or none, and once when the response is lost', async () => {
    await createMany(docket, 'equipment', numbered('many', 3))
    proxy.fail(/^POST \/rest\/v1\/bulk/, { kind: 'cut-after' }, 1)
    const changed = await updateMany(docket, 'equipment', { query, values: { count: { increment: 10 } } })
    expect(changed).toEqual({ count: 3, dry_run: false, failed: 0, errors: [] })
    const counts = await docket
      .table('equipment')
      .list(query.orderBy('name'), { fields: ['count'] })
      .toArray({ max: 9 })
    expect(counts).toEqual([{ count: 11 }, { count: 12 }, { count: 13 }])
  })

  test('a number that is not expected is a conflict', async () => {
    const failed = await deleteMany(docket, 'equipment', { query, expectedCount: 4 }).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ConflictError)
    const dry = await deleteMany(docket, 'equipment', { query, dryRun: true })
    expect(dry).toEqual({ count: 3, dry_run: true, failed: 0, errors: [], dependents: [] })
    expect(await countOf('many')).toBe(3)
  })

  test('delete all records that a query finds', async () => {
    expect(await deleteMany(docket, 'equipment', { query, expectedCount: 3 })).toMatchObject({ count: 3 })
    expect(await countOf('many')).toBe(0)
  })
})

describe('exports', () => {
  const query = q<Desk, 'equipment'>().where('name', 'STARTSWITH', 'out ').orderBy('count')

  test('stream rows, and the file itself', async () => {
    await createMany(docket, 'equipment', numbered('out', 3))
    const rows = []
    for await (const row of docket.table('equipment').export(query, { fields: ['name', 'count'] })) rows.push(row)
    const names: readonly (string | null)[] = rows.map(({ name }) => name)
    expect(names).toEqual(['out 1', 'out 2', 'out 3'])
    expect(rows).toEqual([1, 2, 3].map((count) => ({ name: `out ${count}`, count })))
    const file = await exportFile(docket, 'equipment', { query, fields: ['name', 'count'] })
    expect(await new Response(file).text()).toBe('name,count\r\nout 1,1\r\nout 2,2\r\nout 3,3\r\n')
  })

  test('a stream that breaks off is an error, and no shorter list', async () => {
    proxy.fail(/^GET \/rest\/v1\/export/, { kind: 'cut-response' }, 1)
    const rows: unknown[] = []
    const failed = await (async () => {
      for await (const row of docket.table('equipment').export(query, { fields: ['name'] })) rows.push(row)
    })().catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(NetworkError)
    expect(rows.length).toBeLessThan(3)
  })
})

describe('a write whose response is lost', () => {
  const PATCH = /^PATCH /

  test('is no conflict with itself', async () => {
    const created = await docket.table('equipment').create({ name: 'Alone', count: 1 }, { fields: ['name', 'count'] })
    proxy.fail(PATCH, { kind: 'cut-after' }, 1)
    const changed = await created.update({ count: '5', name: { value: 'Still alone' } })
    expect(changed.row).toEqual({ name: 'Still alone', count: 5 })
    expect((await changed.update({ count: 6 })).row).toEqual({ name: 'Still alone', count: 6 })
  })

  test('is reported as uncertain where nobody can tell', async () => {
    const created = await docket.table('equipment').create({ name: 'Counter', count: 1 }, { fields: ['count'] })
    proxy.fail(PATCH, { kind: 'cut-after' }, 1)
    const failed = (await created.update({ count: { increment: 1 } }).catch((error: unknown) => error)) as ConflictError
    expect(failed).toMatchObject({ name: 'ConflictError', reason: 'stale', isUncertain: true })
    expect((await failed.current?.())?.row).toEqual({ count: 2 })
  })

  test('of somebody else stays a conflict', async () => {
    const created = await docket.table('equipment').create({ name: 'Shared', count: 1 }, { fields: ['sys_id'] })
    await docket.table('equipment').update(created.row.sys_id, { count: 2 }, { ifMatch: false })
    const failed = await created.update({ count: 3 }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ name: 'ConflictError', reason: 'stale', isUncertain: false })
  })

  test('is uncertain when its time or its signal ends it', async () => {
    const { row } = await docket.table('equipment').create({ name: 'Held' }, { fields: ['sys_id'] })
    const change = (options: { readonly timeoutMs?: number; readonly signal?: AbortSignal }) =>
      docket
        .table('equipment')
        .update(row.sys_id, { count: 1 }, { ifMatch: false, ...options })
        .catch((error: unknown) => error)
    proxy.fail(PATCH, { kind: 'hold' })
    expect(await change({ timeoutMs: 200 })).toMatchObject({ name: 'Aborted', code: 'TIMEOUT', isUncertain: true })
    const stop = new AbortController()
    const stopped = change({ signal: stop.signal })
    await expect.poll(() => proxy.met(PATCH)).toBe(2)
    stop.abort()
    expect(await stopped).toMatchObject({ name: 'Aborted', code: 'ABORTED', isUncertain: true })
    // Nothing of it was sent.
    expect(await change({ signal: AbortSignal.abort() })).toMatchObject({ code: 'ABORTED', isUncertain: false })
    proxy.fail(/^GET /, { kind: 'hold' })
    const read = docket.table('equipment').list('name=Held', { timeoutMs: 200 }).count()
    await expect(read).rejects.toMatchObject({ code: 'TIMEOUT', isUncertain: false })
  })

  test('stays uncertain when its signal ends the wait for the next attempt', async () => {
    const stop = new AbortController()
    proxy.fail(/^POST \/rest\/v1\/table/, { kind: 'respond', status: 502, headers: { 'retry-after': '20' } })
    const created = docket.table('equipment').create({ name: 'Lost' }, { signal: stop.signal })
    await expect.poll(() => proxy.met(/^POST \/rest\/v1\/table/)).toBe(1)
    stop.abort()
    await expect(created).rejects.toMatchObject({ code: 'ABORTED', isUncertain: true })
  })

  test('deletes', async () => {
    const equipment = docket.table('equipment')
    const { row } = await equipment.create({ name: 'Gone' }, { fields: ['sys_id'] })
    proxy.fail(/^DELETE /, { kind: 'cut-after' }, 1)
    await equipment.delete(row.sys_id)
    await expect(equipment.delete(row.sys_id)).rejects.toMatchObject({ name: 'NotFound', isUncertain: false })
  })
})
