import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { readSettings } from '../../src/config/settings.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { sql } from '../../src/kernel/sql.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import { type Stage, setStage } from './records/fixture.ts'

/** No GET changes data, whoever sends it (issue 13, 2): pages of other sites can make a browser send a GET. */

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
  const as = stage.callerOf('admin')
  const body = { text: 'The printer is on fire.', metadata: { doc_id: 'one' } }
  const loaded = await stage.docket.request('POST', '/load_text_to_collection?collection_name=notes', { as, body })
  expect(loaded.status, loaded.text).toBe(200)
})
afterAll(() => stage.close())

/** Tables that may change: the time of the last use of a key, the rows of maintenance, and the counts of denied requests. */
const IGNORED = ['access_key', 'process', 'login_network', 'denial', 'segment_writer']

async function fingerprint(): Promise<string> {
  const tables = await stage.docket.database.rows<{ name: string }>(sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('docket', 'docket_system', 'docket_documents') and not tablename = any (${IGNORED}) order by 1`)
  expect(tables.length).toBeGreaterThan(60)
  const prints: string[] = []
  for (const { name } of tables) {
    const [row] = await stage.docket.database.rows<{ print: string }>(
      sql`select md5(coalesce(string_agg(t::text, '' order by t::text), '')) as print from ${sql.raw(name)} t`,
    )
    prints.push(`${name} ${row?.print}`)
  }
  return prints.join('\n')
}

/** Valid values of parameters, so that handlers do their work. */
const PATH: Readonly<Record<string, string>> = { table: 'task', sys_id: '1001', name: 'notes', id: '1' }
const QUERY =
  'query=printer&collection_name=notes&id_value=one&collection_names=notes&table=task&sysparm_query=active=true&_=1'

async function readRoutes(): Promise<readonly string[]> {
  const { docket } = stage
  const { app } = await buildApp({
    settings: readSettings({ DOCKET_DATA_DIR: docket.dataDir }),
    database: docket.database,
    observe: observeNothing,
    metrics: createMetrics(),
    clock: systemClock,
  })
  await app.close()
  return [...app.knownRoutes].filter(([, methods]) => methods.has('GET')).map(([path]) => path)
}

/** The status, or 0 for a stream that does not end. */
async function read(path: string, method: string): Promise<number> {
  const { user, password } = stage.callerOf('admin') as { user: string; password: string }
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const stop = new AbortController()
  const response = await fetch(`${stage.docket.baseUrl}${path}`, {
    method,
    headers: { authorization },
    signal: stop.signal,
  })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (isStream) stop.abort()
  else await response.arrayBuffer()
  return isStream ? 0 : response.status
}

test('no GET or HEAD of any route changes the database', async () => {
  const routes = await readRoutes()
  expect(routes.length).toBeGreaterThan(25)
  const before = await fingerprint()
  const statuses: number[] = []
  for (const route of routes) {
    const path = route.replaceAll(/:(\w+)/g, (_found, name: string) => PATH[name] ?? 'one')
    for (const method of ['GET', 'HEAD'])
      for (const query of ['', `?${QUERY}`]) statuses.push(await read(path + query, method))
  }
  // Most requests must succeed, otherwise the test shows little.
  expect(statuses.filter((status) => status === 200 || status === 0).length).toBeGreaterThan(statuses.length / 2)
  expect(await fingerprint()).toBe(before)
})
