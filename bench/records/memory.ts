import { setTimeout as delay } from 'node:timers/promises'
import { httpText, type LoadGenerator } from '../measure/load.ts'
import { residentBytesOf } from '../measure/process-usage.ts'
import { table } from '../measure/results.ts'
import type { Case } from './cases.ts'
import { mebibytes } from './report.ts'
import type { Target } from './servers.ts'

export interface MemorySample {
  readonly requests: number
  /** Resident memory of the Docket process. */
  readonly bytes: number
}

const requestsInAll = 1_000_000
const requestsInOneGo = 50_000
/** The maximum for the process after all of them. */
const aimBytes = 200 * 2 ** 20

/** Resident memory of Docket during a million requests of all kinds, reads and writes. */
export async function watchMemory(
  cases: readonly Case[],
  { docket, generator, connections }: { docket: Target; generator: LoadGenerator; connections: number },
): Promise<{ readonly samples: readonly MemorySample[]; readonly page: readonly string[] }> {
  const host = `${docket.host}:${docket.port}`
  // The cases alternate, as from many clients.
  const max = Math.max(...cases.map((each) => each.docket.length))
  const requests = Array.from({ length: max }, (_none, at) =>
    cases.flatMap((each) => each.docket[at % each.docket.length] ?? []).map((request) => httpText(request, host)),
  ).flat()
  const samples: MemorySample[] = [{ requests: 0, bytes: residentBytesOf(docket.processId) }]
  for (let sent = 0; sent < requestsInAll; ) {
    const outcome = await generator.run({ ...docket, connections, requests, durationMs: null, count: requestsInOneGo })
    sent += outcome.requests
    samples.push({ requests: sent, bytes: residentBytesOf(docket.processId) })
    console.log(`${sent} requests: ${mebibytes(samples.at(-1)?.bytes ?? 0)}`)
  }
  await delay(5_000)
  samples.push({ requests: requestsInAll, bytes: residentBytesOf(docket.processId) })
  return { samples, page: pageOf(samples) }
}

function pageOf(samples: readonly MemorySample[]): readonly string[] {
  const last = samples.at(-1)?.bytes ?? 0
  const max = Math.max(...samples.map(({ bytes }) => bytes))
  const half = samples.slice(Math.floor(samples.length / 2))
  const verdict = last < aimBytes ? 'under' : 'OVER'
  return [
    `Resident memory of the Docket process after ${requestsInAll} mixed requests: ${mebibytes(last)} (${verdict} the aim of ${mebibytes(aimBytes)}); at most ${mebibytes(max)}.`,
    `In the second half it went from ${mebibytes(half[0]?.bytes ?? 0)} to ${mebibytes(last)}.`,
    '',
    ...table(
      ['requests', 'resident'],
      samples.map(({ requests, bytes }) => [String(requests), mebibytes(bytes)]),
    ),
  ]
}
