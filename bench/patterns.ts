/**
 * npm run bench:patterns: how long MATCH_RGX takes on a megabyte of text, over random expressions of its grammar. None may come near
 * the limit of a statement (DOCKET_STATEMENT_TIMEOUT_MS, 15 s).
 *
 *   --patterns 10000   how many
 */
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { sql } from 'kysely'
import { readRegex } from '../src/condition/patterns/read-regex.ts'
import { arbitraryRegex } from '../test/laws/arbitrary-regex.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { startPostgres } from './records/servers.ts'

const { values: given } = parseArgs({ options: { patterns: { type: 'string', default: '10000' } } })

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const bench = await (await startPostgres(started))('bench')
await bench.database.rows(sql`create table docket_system.bench_text as
  select string_agg(substr('ab 07-я^c.', 1 + (n * n * 7919 % 10)::integer, 1), '' order by n) as value from generate_series(1::bigint, 1000000) as n`)

const times: number[] = []
let slowest = { ms: 0, regex: '' }
for (const regex of fc.sample(arbitraryRegex, { numRuns: Number(given.patterns), seed: 10 })) {
  // Anywhere in the text: most expressions would fail at its first character, and cost nothing.
  const read = readRegex(`.*(${regex}).*`)
  if (!read.ok) continue
  const began = performance.now()
  await bench.database.rows(
    sql`select value collate docket_system.text_fold ~* ${read.value}::text as found from docket_system.bench_text`,
  )
  const ms = performance.now() - began
  times.push(ms)
  if (ms > slowest.ms) slowest = { ms, regex }
}
times.sort((a, b) => a - b)
const at = (share: number): string => `${(times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(0)} ms`

writeResults('patterns', { machine, postgres: bench.version, ...given, measured: { count: times.length, slowest } }, [
  ...table(['patterns on 1 MB', 'median', 'p99', 'slowest'], [[String(times.length), at(0.5), at(0.99), at(1)]]),
  '',
  `Slowest: \`${slowest.regex}\``,
])
