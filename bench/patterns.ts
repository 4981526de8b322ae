/**
 * npm run bench:patterns: the time of MATCH_RGX and MATCH_PAT on a megabyte of text, for random patterns of their grammars. Fails if one
 * reaches the statement timeout (DOCKET_STATEMENT_TIMEOUT_MS, 15 s).
 *
 *   --patterns 10000   how many of each
 */
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { readRegex } from '../src/condition/patterns/read-regex.ts'
import { readWildcards } from '../src/condition/patterns/read-wildcards.ts'
import type { Result } from '../src/kernel/result.ts'
import { type Sql, sql } from '../src/kernel/sql.ts'
import { arbitraryRegex } from '../test/laws/arbitrary-regex.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { startPostgres } from './records/servers.ts'

const STATEMENT_LIMIT_MS = 15_000

interface Suite {
  readonly operator: string
  readonly patterns: fc.Arbitrary<string>
  readonly read: (pattern: string) => Result<string, string>
  /** As the record service writes it (src/records/sql/write-comparison.ts). */
  readonly matches: (pattern: string) => Sql<boolean>
}

const SUITES: readonly Suite[] = [
  {
    operator: 'MATCH_RGX',
    // Anywhere in the text: otherwise most expressions would fail at its first character, and cost nothing.
    patterns: arbitraryRegex.map((regex) => `.*(${regex}).*`),
    read: readRegex,
    matches: (pattern) => sql`value collate docket_system.text_fold ~* ${pattern}::text`,
  },
  {
    operator: 'MATCH_PAT',
    patterns: fc
      .array(fc.constantFrom('*', '*', '?', 'a', 'b', ' ', '0', 'я', '^', 'c', '.', '-', '\\*', '%', '_'), {
        minLength: 1,
        maxLength: 150,
      })
      .map((parts) => `*${parts.join('')}*`),
    read: readWildcards,
    matches: (pattern) => sql`docket_system.fold(value) like docket_system.fold(${pattern}::text)`,
  },
]

const { values: given } = parseArgs({ options: { patterns: { type: 'string', default: '10000' } } })
const wanted = Number(given.patterns)

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const bench = await (await startPostgres(started))('bench')
await bench.database.rows(sql`create table docket_system.bench_text as
  select string_agg(substr('ab 07-я^c.', 1 + (n * n * 7919 % 10)::integer, 1), '' order by n) as value from generate_series(1::bigint, 1000000) as n`)

/** Patterns beyond the limits of the grammar are rejected before they reach PostgreSQL, so more are generated than measured. */
function drawn({ patterns, read }: Suite): readonly { readonly pattern: string; readonly postgres: string }[] {
  const all = fc.sample(patterns, { numRuns: Math.ceil(wanted * 1.1), seed: 10 })
  return all
    .flatMap((pattern) => {
      const result = read(pattern)
      return result.ok ? [{ pattern, postgres: result.value }] : []
    })
    .slice(0, wanted)
}

async function measure(suite: Suite) {
  const times: number[] = []
  let slowest = { ms: 0, pattern: '' }
  for (const { pattern, postgres } of drawn(suite)) {
    const began = performance.now()
    await bench.database.rows(sql`select ${suite.matches(postgres)} as found from docket_system.bench_text`)
    const ms = performance.now() - began
    times.push(ms)
    if (ms > slowest.ms) slowest = { ms, pattern }
  }
  times.sort((a, b) => a - b)
  const at = (share: number): string => `${(times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(0)} ms`
  return { operator: suite.operator, count: times.length, slowest, row: [at(0.5), at(0.99), at(1)] }
}

const measured: Awaited<ReturnType<typeof measure>>[] = []
for (const suite of SUITES) measured.push(await measure(suite))

writeResults('patterns', { machine, postgres: bench.version, ...given, measured }, [
  ...table(
    ['operator', 'patterns on 1 MB', 'median', 'p99', 'slowest'],
    measured.map(({ operator, count, row }) => [operator, String(count), ...row]),
  ),
  '',
  ...measured.map(({ operator, slowest }) => `Slowest of ${operator}: \`${slowest.pattern}\``),
])
const failed = measured.filter(({ count, slowest }) => count < wanted || slowest.ms >= STATEMENT_LIMIT_MS)
if (failed.length > 0) {
  process.stderr.write(
    `too few patterns, or one over ${STATEMENT_LIMIT_MS} ms: ${failed.map(({ operator }) => operator).join(', ')}\n`,
  )
  process.exitCode = 1
}
