import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { admin, type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { type Pooler, pgbouncerFollowsNames, pgbouncerIsInstalled, startPgbouncer } from '../harness/pgbouncer.ts'
import { readEvents } from '../harness/read-events.ts'
import { type SpawnedDocket, spawnDocket, spawnFailing, temporaryFolder } from '../harness/spawn-docket.ts'
import { webhookReceiver } from '../harness/webhook-receiver.ts'

// On a machine without PgBouncer its tests are skipped, and counted as such; CI must have it.
test('CI has PgBouncer', () => {
  expect(pgbouncerIsInstalled || process.env['CI'] === undefined).toBe(true)
})

let fresh: FreshDatabase | undefined
let pooler: Pooler | undefined
let dockets: SpawnedDocket[] = []
afterEach(async () => {
  for (const docket of dockets) await docket.stop()
  await pooler?.stop()
  await fresh?.drop()
  ;[dockets, pooler, fresh] = [[], undefined, undefined]
})

const authorization = `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}`

async function send(
  { address }: SpawnedDocket,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly data: readonly Record<string, unknown>[] }> {
  const response = await fetch(new URL(path, address), {
    method,
    headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const parsed = (await response.json()) as { readonly data?: readonly Record<string, unknown>[] }
  return { status: response.status, data: parsed.data ?? [] }
}

/** @returns the body of a response that is 200 */
async function sendRaw(
  { address }: SpawnedDocket,
  method: string,
  path: string,
  body?: string,
  type = 'application/json',
): Promise<string> {
  const headers = { authorization, ...(body !== undefined && { 'content-type': type }) }
  const response = await fetch(new URL(path, address), { method, headers, ...(body !== undefined && { body }) })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return text
}

/** A few at a time: requests of one user that wait too long are rejected. */
async function inLanes<T>(work: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  const done: T[] = []
  const waiting = [...work.entries()]
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) done[next[0]] = await next[1]()
  }
  await Promise.all(Array.from({ length: 6 }, lane))
  return done
}

/** Two servers on one database, as behind a load balancer. */
async function startTwo(
  poolMode: 'session' | 'transaction',
  environment: (direct: string) => Readonly<Record<string, string>>,
): Promise<void> {
  fresh = await freshDatabase()
  pooler = await startPgbouncer(fresh.connectionString, poolMode)
  for (const _ of [1, 2]) {
    dockets.push(
      await spawnDocket({
        DOCKET_DATA_DIR: temporaryFolder(),
        DOCKET_WEBHOOK_NETWORKS: '127.0.0.1',
        DOCKET_DATABASE_URL: pooler.url,
        ...environment(fresh.connectionString),
      }),
    )
  }
}

const withTransactions = (direct: string) => ({
  DOCKET_DATABASE_DIRECT_URL: direct,
  DOCKET_DATABASE_POOLING: 'transaction',
  DOCKET_DATABASE_PREPARED_STATEMENTS: 'off',
})

const withNames = (direct: string) => ({ ...withTransactions(direct), DOCKET_DATABASE_PREPARED_STATEMENTS: 'on' })

const poolings = [
  { poolMode: 'session', names: 'on', environment: () => ({}) },
  { poolMode: 'transaction', names: 'off', environment: withTransactions },
  ...(pgbouncerFollowsNames ? [{ poolMode: 'transaction', names: 'on', environment: withNames } as const] : []),
] as const

/** Names of the statements that are prepared on one of the pooler's connections. */
async function preparedNames(): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: pooler?.url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>('select name from pg_prepared_statements')
  await client.end()
  return rows.map(({ name }) => name)
}

describe.runIf(pgbouncerIsInstalled)('behind PgBouncer', () => {
  test.each(poolings)(
    'two servers read and write at once, pool mode $poolMode, prepared names $names (issue 12, B)',
    async ({ poolMode, names, environment }) => {
      await startTwo(poolMode, environment)
      const server = (at: number): SpawnedDocket => dockets[at % 2] as SpawnedDocket

      const created = await inLanes(
        Array.from(
          { length: 24 },
          (_, at) => () => send(server(at), 'POST', '/rest/v1/table/task', { subject: `Принтер ${at}` }),
        ),
      )
      expect(new Set(created.map(({ status }) => status))).toEqual(new Set([200]))
      const ids = created.map(({ data }) => String(data[0]?.['sys_id']))

      const query = encodeURIComponent('subjectLIKEпринтер^ORDERBYsys_id')
      const sent = await inLanes(
        ids.flatMap((id, at) => [
          () => send(server(at), 'PATCH', `/rest/v1/table/task/${id}`, { subject: `Принтер ${at} готов`, state: '1' }),
          () => send(server(at + 1), 'GET', `/rest/v1/table/task/${id}`),
          () =>
            send(
              server(at),
              'GET',
              `/rest/v1/table/task?sysparm_query=${query}&sysparm_limit=5&sysparm_display_value=1`,
            ),
          () => send(server(at + 1), 'GET', '/rest/v1/stats/task?sysparm_group_by=state'),
          () => send(server(at), 'POST', '/rest/v1/table/company', { name: `Company ${at}` }),
        ]),
      )
      expect(sent.filter(({ status }) => status !== 200)).toEqual([])

      // A change of the dictionary by one server takes effect in the other.
      const made = await send(server(0), 'POST', '/rest/v1/table/sys_db_table', { name: 'shelf', title: 'Shelf' })
      expect(made.status).toBe(200)
      const stored = await send(server(1), 'POST', '/rest/v1/table/shelf', {})
      expect(stored.status).toBe(200)
      expect((await send(server(0), 'GET', `/rest/v1/table/shelf/${stored.data[0]?.['sys_id']}`)).status).toBe(200)

      const subjects = await send(
        server(0),
        'GET',
        `/rest/v1/table/task?sysparm_query=${query}&sysparm_fields=subject&sysparm_limit=50`,
      )
      expect(subjects.data.map(({ subject }) => subject).toSorted()).toEqual(
        ids.map((_id, at) => `Принтер ${at} готов`).toSorted(),
      )
      // Each server knows who has a record open, whichever server they report to.
      const on = `/rest/v1/table/sys_property?sysparm_query=name=viewers.enabled&sysparm_fields=sys_id`
      const [property] = (await send(server(0), 'GET', on)).data
      await send(server(0), 'PATCH', `/rest/v1/table/sys_property/${property?.['sys_id']}`, { value: 'true' })
      const viewed = await inLanes(
        [0, 1, 0, 1].map((at) => () => send(server(at), 'PUT', `/v1/viewers/task/${ids[1]}/page-${at}`)),
      )
      expect(viewed.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const counted = await (fresh as FreshDatabase).database.rows(
        sql`select page from docket_system.viewer order by page`,
      )
      expect(counted).toEqual([{ page: 'page-0' }, { page: 'page-1' }])

      expect((await send(server(1), 'DELETE', `/rest/v1/table/task/${ids[0]}`)).status).toBe(200)
      expect((await send(server(0), 'GET', `/rest/v1/table/task/${ids[0]}`)).status).toBe(404)
      if (poolMode === 'transaction') expect((await preparedNames()).length > 0).toBe(names === 'on')
    },
  )

  test.each(poolings)(
    'events, webhooks, documents, files, imports and exports, pool mode $poolMode, prepared names $names (issue 12, B)',
    async ({ poolMode, environment }) => {
      await startTwo(poolMode, environment)
      const [first, second] = dockets as [SpawnedDocket, SpawnedDocket]
      const receiver = await webhookReceiver()
      const stream = await readEvents(`${second.address}/rest/v1/events?tables=company`, { authorization })
      try {
        const webhook = { name: 'Receiver', url: receiver.url, tables: [{ find: { name: 'company' } }] }
        expect((await send(second, 'POST', '/rest/v1/table/sys_webhook', webhook)).status).toBe(200)
        const lines = ['Альфа', 'Beta'].map((name) => JSON.stringify({ name })).join('\n')
        expect(await sendRaw(first, 'POST', '/rest/v1/import/company', lines, 'application/x-ndjson')).toContain(
          '"inserted":2',
        )
        const nameOf = (data: unknown): unknown =>
          (data as { changes: { name: { new_value: unknown } } }).changes.name.new_value
        const events = await stream.until((all) => all.length >= 2)
        expect(events.map(({ data }) => nameOf(data))).toEqual(['Альфа', 'Beta'])
        const deliveries = await receiver.until((all) => all.length >= 2)
        expect(deliveries.map(({ text }) => nameOf(JSON.parse(text))).toSorted()).toEqual(['Beta', 'Альфа'])
        const query = encodeURIComponent('nameINАльфа,Beta^ORDERBYname')
        const exported = await sendRaw(
          second,
          'GET',
          `/rest/v1/export/company?sysparm_query=${query}&sysparm_fields=name&format=ndjson`,
        )
        expect(
          exported
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line)),
        ).toEqual([{ name: 'Beta' }, { name: 'Альфа' }])

        const text = { metadata: { doc_id: 'toner' }, text: 'A printer without toner blinks.' }
        expect((await send(first, 'POST', '/load_text_to_collection?collection_name=kb', text)).status).toBe(200)
        const found = await send(second, 'POST', '/get_relevant_documents', {
          query: 'toner',
          collection_names: ['kb'],
        })
        expect(found.data.map(({ doc_id }) => doc_id)).toEqual(['toner'])

        const [company] = (await send(first, 'GET', `/rest/v1/table/company?sysparm_query=${query}&sysparm_limit=1`))
          .data
        const form = '--b\r\nContent-Disposition: form-data; name="files[]"; filename="a.txt"\r\n\r\nhello\r\n--b--\r\n'
        const place = `/v1/attachments/upload/company/${company?.['sys_id']}`
        const uploaded = await sendRaw(first, 'POST', place, form, 'multipart/form-data; boundary=b')
        expect(uploaded).toContain('a.txt')
      } finally {
        await stream.close()
        await receiver.close()
      }
    },
  )
})

test('transaction pooling without a direct address is rejected at the start (issue 12, B)', async () => {
  const rejected = await spawnFailing({
    DOCKET_DATABASE_URL: 'postgres://docket@127.0.0.1:6432/docket',
    DOCKET_DATABASE_POOLING: 'transaction',
  })
  expect(rejected.exit.code).toBe(2)
  expect(rejected.output + rejected.log).toContain(
    'DOCKET_DATABASE_DIRECT_URL is missing: DOCKET_DATABASE_POOLING=transaction needs it for migrations, jobs and locks.',
  )
})
