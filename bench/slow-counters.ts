/**
 * npm run bench:slow-counters: CPU that `docket records slow` adds to a fast statement: two readings of the clock and its counters. Loops
 * with and without them take turns.
 *
 *   --runs 2000000  --turns 5
 */
import { parseArgs } from 'node:util'
import { addRun, noTimes } from '../src/records/slow/statement-times.ts'

const { values: given } = parseArgs({
  options: { runs: { type: 'string', default: '2000000' }, turns: { type: 'string', default: '5' } },
})
const runs = Number(given.runs)
const times = noTimes()
let rows = 0

function counted(): void {
  for (let n = 0; n < runs; n += 1) {
    const sentMs = performance.now()
    rows += n % 20
    const tookMs = performance.now() - sentMs + (n % 40) / 10
    addRun(times, { tookMs, isSlow: tookMs >= 100, rows })
  }
}

function bare(): void {
  for (let n = 0; n < runs; n += 1) rows += n % 20
}

function nanosecondsOf(loop: () => void): string {
  const before = process.cpuUsage()
  loop()
  const { user, system } = process.cpuUsage(before)
  return (((user + system) * 1_000) / runs).toFixed(0)
}

counted()
bare()
for (let turn = 0; turn < Number(given.turns); turn += 1)
  console.log(`with counters ${nanosecondsOf(counted)} ns, without ${nanosecondsOf(bare)} ns of CPU for a statement`)
