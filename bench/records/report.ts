import { printSpread, rounded, type Spread, spreadOf } from '../measure/figures.ts'
import type { Round } from '../measure/interleave.ts'
import { table } from '../measure/results.ts'
import { cpuAim } from './cases.ts'

export interface MeasuredCase {
  readonly name: string
  readonly aim: number
  readonly docket: readonly Round[]
  readonly bare: readonly Round[]
}

export interface MeasuredMemory {
  readonly docketBytes: number
  readonly bareBytes: number
  readonly databaseBytes: number
}

type Figure = (round: Round) => number

const totalCpuUs: Figure = (round) => round.serverCpuUs + round.databaseCpuUs

/** Docket's figure as a multiple of the bare server's in the round next to it: disturbances usually affect both. */
function ratioOf({ docket, bare }: MeasuredCase, figure: Figure): Spread {
  return spreadOf(docket.map((round, at) => figure(round) / figure(bare[at] ?? round)))
}

const throughput: Figure = (round) => round.requestsPerSecond

/** One line of progress. */
export function compare(measured: MeasuredCase): string {
  const { name, docket, bare } = measured
  const median = (rounds: readonly Round[], figure: Figure): number => rounded(spreadOf(rounds.map(figure)).median)
  const cpu = (rounds: readonly Round[]): string =>
    `${median(rounds, (r) => r.serverCpuUs)}+${median(rounds, (r) => r.databaseCpuUs)} µs`
  return `${name}: ${median(docket, throughput)}/s against ${median(bare, throughput)}/s, ratio ${printSpread(ratioOf(measured, throughput))}; CPU ${cpu(docket)} against ${cpu(bare)}, ratio ${printSpread(ratioOf(measured, totalCpuUs))}`
}

/** The page of results. */
export function pageOf(measured: readonly MeasuredCase[], memory: MeasuredMemory): readonly string[] {
  return [
    'Medians over the rounds, with the least and the greatest in brackets. A ratio is taken between two rounds that ran one',
    'after the other; a figure in **bold** misses its aim.',
    '',
    '## Docket as a multiple of the bare server',
    '',
    ...table(
      ['', 'throughput', 'aim', 'total CPU', 'aim', 'CPU of the server', 'CPU of PostgreSQL', 'p50', 'p99'],
      measured.map((each) => {
        const speed = ratioOf(each, throughput)
        const cpu = ratioOf(each, totalCpuUs)
        return [
          each.name,
          emphasised(speed, speed.median < each.aim),
          `≥ ${each.aim}`,
          emphasised(cpu, cpu.median > cpuAim),
          `≤ ${cpuAim}`,
          printSpread(ratioOf(each, (round) => round.serverCpuUs)),
          printSpread(ratioOf(each, (round) => round.databaseCpuUs)),
          printSpread(ratioOf(each, (round) => round.p50Ms)),
          printSpread(ratioOf(each, (round) => round.p99Ms)),
        ]
      }),
    ),
    '',
    '## Figures',
    '',
    ...table(
      ['', 'server', 'requests/s', 'p50, ms', 'p99, ms', 'server CPU, µs', 'PostgreSQL CPU, µs', 'bytes'],
      measured.flatMap(({ name, docket, bare }) => [figures(name, 'Docket', docket), figures('', 'bare', bare)]),
    ),
    '',
    '## Memory after the rounds',
    '',
    `Docket ${mebibytes(memory.docketBytes)}, bare server ${mebibytes(memory.bareBytes)}, PostgreSQL ${mebibytes(memory.databaseBytes)} with all its processes (shared pages counted once).`,
  ]
}

const emphasised = (spread: Spread, isMissed: boolean): string =>
  isMissed ? `**${printSpread(spread)}**` : printSpread(spread)

function figures(name: string, server: string, rounds: readonly Round[]): readonly string[] {
  const show = (figure: Figure): string => printSpread(spreadOf(rounds.map(figure)))
  return [
    name,
    server,
    show(throughput),
    show((round) => round.p50Ms),
    show((round) => round.p99Ms),
    show((round) => round.serverCpuUs),
    show((round) => round.databaseCpuUs),
    String(rounded(spreadOf(rounds.map((round) => round.bytesPerResponse)).median)),
  ]
}

export const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`
