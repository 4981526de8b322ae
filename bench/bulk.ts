/**
 * npm run bench:bulk: rows per second into and out of a table, compared with PostgreSQL's own COPY of the same rows.
 *
 *   --rows 20000  --export 1000000   how many to import, how many to export
 */
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import { administratorId } from '../src/identity/administrator.ts'
import { sql } from '../src/kernel/sql.ts'
import { rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { cpuSecondsOf, residentBytesOf } from './measure/process-usage.ts'
import { table, writeResults } from './measure/results.ts'
import { keyFor } from './records/seed.ts'
import { startDocket, startPostgres } from './records/servers.ts'

const { values: given } = parseArgs({
  options: { rows: { type: 'string', default: '20000' }, export: { type: 'string', default: '1000000' } },
})
const [rows, exported] = [Number(given.rows), Number(given.export)]

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const bench = await (await startPostgres(started))('bench')
const docket = await startDocket(bench, started)
const headers = { authorization: `Bearer ${await keyFor(bench.database, administratorId)}` }
const address = `http://${docket.host}:${docket.port}`
const line = (n: number): string => `company ${n},Perm,Russia,mail${n}@example.com\n`

/** Wall-clock seconds, and CPU seconds of PostgreSQL and of Docket. */
async function measure(work: () => Promise<unknown>) {
  const before = [performance.now(), cpuSecondsOf(bench.processId), cpuSecondsOf(docket.processId)] as const
  await work()
  const after = [performance.now(), cpuSecondsOf(bench.processId), cpuSecondsOf(docket.processId)] as const
  return { seconds: (after[0] - before[0]) / 1_000, postgres: after[1] - before[1], docket: after[2] - before[2] }
}
type Measured = Awaited<ReturnType<typeof measure>>
const displayed = (what: string, count: number, by: Measured): readonly string[] => [
  what,
  String(count),
  String(rounded(count / by.seconds)),
  String(rounded((by.postgres / count) * 1e6)),
  String(rounded((by.docket / count) * 1e6)),
]

async function importCsv(query: string): Promise<void> {
  const text = Readable.from(
    (function* () {
      yield 'name,city,country,email\n'
      for (let n = 0; n < rows; n += 1) yield line(n)
    })(),
  )
  const response = await fetch(`${address}/rest/v1/import/company${query}`, {
    method: 'POST',
    body: Readable.toWeb(text.map((piece) => Buffer.from(piece as string))) as ReadableStream,
    headers: { ...headers, 'content-type': 'text/csv' },
    duplex: 'half',
  } as RequestInit)
  const { data } = (await response.json()) as { data: { failed: number } }
  if (response.status !== 200 || data.failed > 0) throw new Error(JSON.stringify(data))
}

async function empty(): Promise<void> {
  await bench.database.rows(sql`delete from docket.company`)
  await bench.database.rows(sql`vacuum (analyze) docket.company`)
}

// Warms up plans, prepared statements and compiled code before the measurement.
await importCsv('')
await empty()
await bench.database.rows(sql`truncate docket_system.change`)
const created = await measure(() => importCsv(''))
const logFile = join(tmpdir(), 'docket-bench-log.copy')
started.defer(async () => rmSync(logFile, { force: true }))
await bench.database.rows(sql`copy docket_system.change to ${sql.lit(logFile)}`)
await bench.database.rows(sql`create table public.copied_log (like docket_system.change including all)`)
await empty()
await bench.database.rows(sql`create index on docket.company (docket_system.fold(name))`)
const keyed = await measure(() => importCsv('?key=name'))
await bench.database.rows(sql`analyze docket.company`)
const updated = await measure(() => importCsv('?key=name'))
const file = join(tmpdir(), 'docket-bench-copy.csv')
started.defer(async () => rmSync(file, { force: true }))
await bench.database.rows(sql`copy (select name, city, country, email from docket.company) to ${sql.lit(file)} csv`)
await bench.database.rows(sql`create table public.copied (like docket.company including all)`)
const copied = await measure(() =>
  bench.database.rows(sql`copy public.copied (name, city, country, email) from ${sql.lit(file)} csv`),
)
const copiedLog = await measure(() => bench.database.rows(sql`copy public.copied_log from ${sql.lit(logFile)}`))
const copiedBoth: Measured = {
  seconds: copied.seconds + copiedLog.seconds,
  postgres: copied.postgres + copiedLog.postgres,
  docket: copied.docket + copiedLog.docket,
}
await bench.database.rows(sql`insert into docket.company (name, city, country, email)
  select 'many ' || n, 'Perm', 'Russia', 'mail@example.com' from generate_series(1, ${exported - rows}) n`)
await bench.database.rows(sql`analyze docket.company`)
let maxBytes = 0
const residentBefore = residentBytesOf(docket.processId)
const exportedBy = await measure(async () => {
  const response = await fetch(`${address}/rest/v1/export/company?sysparm_fields=name,city,country,email`, { headers })
  let lines = 0
  for await (const piece of response.body ?? []) {
    lines += Buffer.from(piece as Uint8Array).reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0)
    maxBytes = Math.max(maxBytes, residentBytesOf(docket.processId))
  }
  if (lines !== exported + 1) throw new Error(`${lines} lines`)
})
const copiedOut = await measure(() =>
  bench.database.rows(sql`copy (select name, city, country, email from docket.company) to ${sql.lit(file)} csv`),
)
const mebi = (bytes: number): number => Math.round(bytes / 1_048_576)
writeResults(
  'bulk',
  {
    machine,
    postgres: bench.version,
    ...given,
    created,
    keyed,
    updated,
    copied,
    copiedBoth,
    exportedBy,
    copiedOut,
    maxBytes,
  },
  [
    ...table(
      ['what', 'rows', 'rows/s', 'µs of PostgreSQL a row', 'µs of Docket a row'],
      [
        displayed('import, new rows', rows, created),
        displayed('import by key, new rows', rows, keyed),
        displayed('import by key, rows that are there', rows, updated),
        displayed('COPY FROM', rows, copied),
        displayed('COPY FROM, and of the log of these rows', rows, copiedBoth),
        displayed('export CSV', exported, exportedBy),
        displayed('COPY TO', exported, copiedOut),
      ],
    ),
    '',
    `Memory of Docket before the export ${mebi(residentBefore)} MiB, at most ${mebi(maxBytes)} MiB during it.`,
  ],
)
