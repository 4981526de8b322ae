import { performance } from 'node:perf_hooks'
import fc from 'fast-check'
import { sql } from 'kysely'
import { readRegex } from '../src/condition/patterns/read-regex.ts'
import { freshDatabase } from '../test/harness/fresh-database.ts'
import { arbitraryRegex } from '../test/laws/arbitrary-regex.ts'

/**
 * How long MATCH_RGX takes at most: random patterns of its grammar on 1 MB of text (issue 10, 4).
 * Usage: DOCKET_TEST_DATABASE_URL=… node bench/patterns.ts [patterns, default 10000]
 */
const count = Number(process.argv[2] ?? 10_000)
const fresh = await freshDatabase('blank')
await fresh.database.rows(
  sql`create table public.texts as select n, t from (values (1, repeat('ab 07-я', 143000)), (2, repeat('a', 1000000))) as v (n, t)`,
)
const times: { readonly ms: number; readonly regex: string }[] = []
for (const regex of fc.sample(arbitraryRegex, { numRuns: count, seed: 10 })) {
  const read = readRegex(regex)
  if (!read.ok) continue
  // Anywhere in the text, or most patterns would fail at its first character.
  for (const pattern of [read.value, `^(?:.*${read.value.slice(1, -1)}.*)$`]) {
    const began = performance.now()
    await fresh.database.rows(sql`select bool_or(t ~* ${pattern}::text) from public.texts`)
    times.push({ ms: performance.now() - began, regex })
  }
}
times.sort((a, b) => a.ms - b.ms)
const at = (share: number): string => `${times[Math.floor((times.length - 1) * share)]?.ms.toFixed(0)} ms`
console.log(
  `${count} patterns, ${times.length} statements over 2 MB: median ${at(0.5)}, p99 ${at(0.99)}, slowest ${at(1)} (${times.at(-1)?.regex})`,
)
await fresh.drop()
