import { setTimeout as delay } from 'node:timers/promises'
import type { LoadGenerator, LoadOutcome } from './load.ts'
import { cpuSecondsOf } from './process-usage.ts'

/** One server with the requests that it is to be sent. */
export interface Contender {
  readonly host: string
  readonly port: number
  readonly processId: number
  readonly requests: readonly string[]
  /** Of its PostgreSQL server, if it has one of its own. */
  readonly databaseProcessId?: number
}

export interface Round {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU of the server's process tree, in microseconds a request. */
  readonly serverCpuUs: number
  /** Of PostgreSQL's. */
  readonly databaseCpuUs: number
  readonly bytesPerResponse: number
}

export interface RoundOptions {
  readonly rounds: number
  readonly roundMs: number
  readonly warmUpMs: number
  readonly connections: number
  readonly generator: LoadGenerator
  readonly databaseProcessId: number
}

/**
 * Rounds of load on each contender in turn, A B A B …, so that what else the machine does meets all of them alike.
 *
 * @returns for each contender its rounds; rounds with equal numbers ran one after the other
 */
export async function interleave(
  contenders: readonly Contender[],
  options: RoundOptions,
): Promise<readonly (readonly Round[])[]> {
  for (const contender of contenders) await load(contender, options.warmUpMs, options)
  const rounds: Round[][] = contenders.map(() => [])
  for (let number = 0; number < options.rounds; number += 1) {
    for (const [at, contender] of contenders.entries()) {
      // What the round before left to be written goes first.
      await delay(50)
      rounds[at]?.push(await measure(contender, options))
    }
  }
  return rounds
}

async function measure(contender: Contender, options: RoundOptions): Promise<Round> {
  const { databaseProcessId = options.databaseProcessId } = contender
  const before = [cpuSecondsOf(contender.processId), cpuSecondsOf(databaseProcessId)] as const
  const outcome = await load(contender, options.roundMs, options)
  const after = [cpuSecondsOf(contender.processId), cpuSecondsOf(databaseProcessId)] as const
  const { requests, tookMs, p50Ms, p99Ms, bytes } = outcome
  return {
    requestsPerSecond: requests / (tookMs / 1_000),
    p50Ms,
    p99Ms,
    serverCpuUs: ((after[0] - before[0]) / requests) * 1e6,
    databaseCpuUs: ((after[1] - before[1]) / requests) * 1e6,
    bytesPerResponse: bytes / requests,
  }
}

function load({ host, port, requests }: Contender, durationMs: number, options: RoundOptions): Promise<LoadOutcome> {
  const { connections, generator } = options
  return generator.run({ host, port, connections, requests, durationMs, count: null })
}
