/**
 * npm run bench:events: how long after its answer a change is told to who streams events, while records are written.
 *
 *   --writes 500  --every 20   how many, and milliseconds between two
 *   --readers 0                others who stream the same, beside the one that is measured
 */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { administratorId } from '../src/identity/administrator.ts'
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
const cameAt = new Map<string, number>()
const reader = await readEvents(`${address}/rest/v1/events?tables=company`, { authorization: `Bearer ${key}` })
started.defer(() => reader.close())
const watching = reader.until((events) => {
  for (const { data } of events.slice(cameAt.size)) {
    const { id } = data as { readonly id: string }
    cameAt.set(id, performance.now())
  }
  return events.length >= Number(given.writes)
})

const others = await Promise.all(
  Array.from({ length: Math.min(199, Number(given.readers)) }, () =>
    readEvents(`${address}/rest/v1/events?tables=company`, { authorization: `Bearer ${key}` }),
  ),
)
started.defer(async () => void (await Promise.all(others.map((other) => other.close()))))
const cpuBefore = cpuNs(docket.processId)
const answeredAt: number[] = []
for (let n = 0; n < Number(given.writes); n += 1) {
  const answer = await client.send('POST', '/rest/v1/table/company', {
    as: { bearer: key },
    body: { name: `company ${n}` },
  })
  if (answer.status !== 200) throw new Error(answer.text)
  answeredAt.push(performance.now())
  await delay(Number(given.every))
}
await watching
await Promise.all(others.map((other) => other.until((events) => events.length >= Number(given.writes))))
const cpuMs = rounded((cpuNs(docket.processId) - cpuBefore) / 1_000_000 / Number(given.writes))
const delays = [...cameAt.values()].map((at, index) => Math.max(0, at - (answeredAt[index] ?? at)))
const [p50, p99] = [rounded(quantile(delays, 0.5)), rounded(quantile(delays, 0.99))]
writeResults(
  'event-delay',
  { machine, postgres: bench.version, ...given, p50Ms: p50, p99Ms: p99, cpuMsOfAWrite: cpuMs },
  table(
    [
      'writes',
      'readers',
      'p50 ms from the answer to the event',
      'p99',
      'ms of Docket’s CPU for a write and its events',
    ],
    [[given.writes, String(others.length + 1), String(p50), String(p99), String(cpuMs)]],
  ),
)

/** Of the main thread. */
function cpuNs(processId: number): number {
  return Number(readFileSync(`/proc/${processId}/schedstat`, 'latin1').split(' ')[0])
}
