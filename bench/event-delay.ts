/**
 * npm run bench:events: the delay between the response to a write and its event in a stream, while records are written.
 *
 *   --writes 500  --every 20   how many, and milliseconds between the beginnings of two, whether the first has a response or not
 *   --readers 0                other readers of the same stream, besides the measured one, which opens its stream last and so is served last
 *   --rights 0                 number of different rights among them: 50 users, each with a role that sees other records
 */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { administratorId } from '../src/identity/administrator.ts'
import { sql } from '../src/kernel/sql.ts'
import { readEvents } from '../test/harness/read-events.ts'
import { sendTo } from '../test/harness/send-request.ts'
import { quantile, rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { keyFor } from './records/seed.ts'
import { startDocket, startPostgres } from './records/servers.ts'

const { values: given } = parseArgs({
  options: {
    writes: { type: 'string', default: '500' },
    every: { type: 'string', default: '20' },
    readers: { type: 'string', default: '0' },
    rights: { type: 'string', default: '0' },
  },
})

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const bench = await (await startPostgres(started))('bench')
const docket = await startDocket(bench, started)
const key = await keyFor(bench.database, administratorId)
const address = `http://${docket.host}:${docket.port}`
const client = sendTo(address)
started.defer(async () => client.close())
/** By the record that was created. */
const cameAt = new Map<string, number>()
const others = await openOthers()
const reader = await readEvents(`${address}/rest/v1/events?tables=company`, { authorization: `Bearer ${key}` })
started.defer(() => reader.close())
const watching = reader.until((events) => {
  for (const { data } of events.slice(cameAt.size)) {
    const { sys_id } = data as { readonly sys_id: string }
    cameAt.set(sys_id, performance.now())
  }
  return events.length >= Number(given.writes)
})

const cpuBefore = cpuNs(docket.processId)
const respondedAt = new Map<string, number>()
const beganMs = performance.now()
const writes: Promise<void>[] = []
for (let n = 0; n < Number(given.writes); n += 1) {
  writes.push(write(n))
  await delay(Math.max(0, beganMs + (n + 1) * Number(given.every) - performance.now()))
}
await Promise.all(writes)
const tookSeconds = (performance.now() - beganMs) / 1_000
await watching
await Promise.all(others.map((other) => other.seen(Number(given.writes))))
const cpuMs = rounded((cpuNs(docket.processId) - cpuBefore) / 1_000_000 / Number(given.writes))
const delays = [...cameAt].map(([record, at]) => Math.max(0, at - (respondedAt.get(record) ?? at)))
const perSecond = rounded(Number(given.writes) / tookSeconds)
const [p50, p99] = [rounded(quantile(delays, 0.5)), rounded(quantile(delays, 0.99))]
writeResults(
  'event-delay',
  { machine, postgres: bench.version, ...given, perSecond, p50Ms: p50, p99Ms: p99, cpuMsOfAWrite: cpuMs },
  table(
    [
      'writes',
      'a second',
      'readers',
      'rights among them',
      'p50 ms from the response to the event',
      'p99',
      'ms of Docket’s CPU for a write and its events',
    ],
    [
      [
        given.writes,
        String(perSecond),
        String(others.length + 1),
        given.rights,
        String(p50),
        String(p99),
        String(cpuMs),
      ],
    ],
  ),
)

async function write(number: number): Promise<void> {
  const body = { name: `company ${number}` }
  const response = await client.send('POST', '/rest/v1/table/company', { as: { bearer: key }, body })
  if (response.status !== 200) throw new Error(response.text)
  const { data } = JSON.parse(response.text) as { readonly data: readonly [{ readonly sys_id: string }] }
  respondedAt.set(data[0].sys_id, performance.now())
}

/** Of the main thread. */
function cpuNs(processId: number): number {
  return Number(readFileSync(`/proc/${processId}/schedstat`, 'latin1').split(' ')[0])
}

interface CountingReader {
  /** Resolves after this number of events. */
  seen(count: number): Promise<void>
}

/** Other readers only count their events: reading a thousand streams must not cost what is measured. */
async function openOthers(): Promise<readonly CountingReader[]> {
  const count = Number(given.readers)
  const keys = Number(given.rights) > 0 ? await keysOfOthers() : [key]
  const wanted = Number(given.rights) > 0 ? Math.min(999, count) : Math.min(199, count)
  const ended = new AbortController()
  started.defer(async () => ended.abort())
  const opened: CountingReader[] = []
  for (let at = 0; at < wanted; at += 1) opened.push(await openCounting(keys[at % keys.length] ?? key, ended.signal))
  return opened
}

async function openCounting(bearer: string, signal: AbortSignal): Promise<CountingReader> {
  const response = await fetch(`${address}/rest/v1/events?tables=company`, {
    headers: { authorization: `Bearer ${bearer}` },
    signal,
  })
  if (!response.ok || response.body === null) throw new Error(await response.text())
  const parts = response.body[Symbol.asyncIterator]()
  let events = 0
  return {
    async seen(wanted) {
      while (events < wanted) {
        const { value, done } = await parts.next()
        if (done === true) throw new Error(`a stream ended after ${events} events`)
        events += Buffer.from(value).toString('latin1').split('event: change').length - 1
      }
    },
  }
}

async function keysOfOthers(): Promise<readonly string[]> {
  const { database } = bench
  const rights = Number(given.rights)
  await database.rows(sql`
    insert into docket.sys_role (name, description) select 'line_' || n, 'Sees most companies' from generate_series(1, ${rights}::integer) n`)
  await database.rows(sql`
    insert into docket.sys_security_acl (operation, table_name, roles, condition, description)
    select 'read', 'company', array[r.sys_id::text], 'name!=none of ' || r.name, 'Most' from docket.sys_role r where r.name like 'line_%'`)
  await database.rows(sql`
    insert into docket."user" (user_name, display_name) select 'reader.' || n, 'Reader ' || n from generate_series(1, 50) n`)
  const readers = await database.rows<{ id: string }>(sql`
    with given as (
      insert into docket.sys_user_has_role (user_id, role_id)
      select u.sys_id, r.sys_id from docket."user" u join docket.sys_role r
        on r.name = 'line_' || 1 + substring(u.user_name from 8)::integer % ${rights}::integer where u.user_name like 'reader.%'
      returning user_id)
    select user_id::text as id from given`)
  return Promise.all(readers.map(({ id }) => keyFor(database, id)))
}
