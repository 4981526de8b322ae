/**
 * npm run bench:backup: `docket backup` and `docket restore` of a desk with many tickets and files, beside what PostgreSQL takes for a
 * bare COPY of the same tables in one process, and the most memory that the commands take.
 *
 *   --rows 500000        tasks
 *   --megabytes 200      files of records, which do not compress
 */
import { spawn } from 'node:child_process'
import { createCipheriv, createHash } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { onCopyConnection } from '../src/database/copy-connection.ts'
import { openDatabase } from '../src/database/database.ts'
import { sql } from '../src/kernel/sql.ts'
import { temporaryFolder } from '../test/harness/spawn-docket.ts'
import { rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { seed } from './records/seed.ts'
import { startPostgres } from './records/servers.ts'

const { values: given } = parseArgs({
  options: { rows: { type: 'string', default: '500000' }, megabytes: { type: 'string', default: '200' } },
})
const [rowCount, megabytes] = [Number(given.rows), Number(given.megabytes)]
const program = fileURLToPath(new URL('../bin/docket.js', import.meta.url))

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const folder = temporaryFolder()
const databaseNamed = await startPostgres(started)
const source = await databaseNamed('source')
await seed(source.database, { tasks: rowCount, users: 500, groups: 20 })
await addFiles()

/** Each file is 1 MB, and on disk under its hash, as uploads leave it. */
async function addFiles(): Promise<void> {
  const stream = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16))
  for (let at = 0; at < megabytes; at += 1) {
    const bytes = stream.update(Buffer.alloc(1_000_000))
    const hash = createHash('sha256').update(bytes).digest('hex')
    const place = join(folder, 'source', 'attachments', hash.slice(0, 2))
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, hash), bytes)
    await source.database.rows(
      sql`insert into docket_system.attachment_blob (hash, size, touched_at) values (decode(${hash}, 'hex'), ${bytes.length}, now())`,
    )
  }
}

interface Ran {
  readonly seconds: number
  /** The peak of the resident memory according to the kernel, MiB. */
  readonly peakMiB: number
}

/** `docket …` in a separate process. The launcher may start another Node: the larger of both counts. */
async function run(args: readonly string[], connectionString: string, dataDir: string): Promise<Ran> {
  const begun = performance.now()
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DOCKET_DATABASE_URL: connectionString,
      DOCKET_DATA_DIR: join(folder, dataDir),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  let peak = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid ?? 0))
  }, 20)
  const code = await new Promise((resolve) => child.on('close', resolve))
  clearInterval(timer)
  if (code !== 0) throw new Error(`docket ${args.join(' ')}: ${errors}`)
  return { seconds: (performance.now() - begun) / 1_000, peakMiB: Math.round(peak / 1_024) }
}

/** VmHWM, kB; 0 if the process is gone. */
function peakOf(processId: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** All tables with COPY, one after the other; the output is discarded. */
async function copyOut(connectionString: string): Promise<{ readonly seconds: number; readonly bytes: number }> {
  const begun = performance.now()
  let bytes = 0
  await onCopyConnection(connectionString, 'bench', async (connection) => {
    const tables = await connection.rows<{ name: string }>(
      sql`select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname like 'docket%' order by 1`,
    )
    for (const { name } of tables)
      for await (const piece of connection.copyOut(sql`copy ${sql.raw(name)} to stdout`)) bytes += piece.length
  })
  return { seconds: (performance.now() - begun) / 1_000, bytes }
}

/** The tasks, without their indexes, into a new table: the time of PostgreSQL alone. */
async function copyIn(): Promise<{ readonly seconds: number; readonly bytes: number }> {
  const from = source.connectionString
  const pieces: Buffer[] = []
  await onCopyConnection(from, 'bench', async (connection) => {
    for await (const piece of connection.copyOut(sql`copy docket.task to stdout`)) pieces.push(piece)
  })
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
  let seconds = 0
  await onCopyConnection(from, 'bench', async (connection) => {
    await connection.execute('begin; create table public.bare (like docket.task including generated)')
    const begun = performance.now()
    await connection.copyIn(sql`copy public.bare from stdin with (freeze)`, eachOf(pieces))
    seconds = (performance.now() - begun) / 1_000
    await connection.execute('rollback')
  })
  return { seconds, bytes }
}

async function* eachOf<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}

const bareOut = await copyOut(source.connectionString)
const bareIn = await copyIn()
const file = join(folder, 'desk.backup')
const backup = await run(['backup', file], source.connectionString, 'source')
const check = await run(['restore', '--check', file], source.connectionString, 'source')

const rootUrl = new URL(source.connectionString)
const target = source.connectionString.replace('/source', '/target')
rootUrl.pathname = '/postgres'
const root = openDatabase({ connectionString: rootUrl.href, maxConnections: 1, statementTimeoutMs: 0 })
await root.rows(sql`create database target`)
await root.close()
const restore = await run(['restore', file], target, 'target')

const rate = (bytes: number, seconds: number): number => rounded(bytes / 1e6 / seconds)
const allBytes = bareOut.bytes + megabytes * 1e6
const size = statSync(file).size
const rows: readonly (readonly [what: string, seconds: number, bytes: number, peakMiB: number | null])[] = [
  ['COPY TO of all tables, into nothing', bareOut.seconds, bareOut.bytes, null],
  ['docket backup', backup.seconds, allBytes, backup.peakMiB],
  ['docket restore --check', check.seconds, allBytes, check.peakMiB],
  ['COPY FROM of the tasks, without indexes', bareIn.seconds, bareIn.bytes, null],
  ['docket restore', restore.seconds, allBytes, restore.peakMiB],
]
writeResults(
  'backup',
  {
    machine,
    postgres: source.version,
    rows: rowCount,
    tableMegabytes: rounded(bareOut.bytes / 1e6),
    fileMegabytes: megabytes,
    backupMegabytes: rounded(size / 1e6),
    measured: rows.map(([what, seconds, bytes, peakMiB]) => ({
      what,
      seconds: rounded(seconds),
      megabytesPerSecond: rate(bytes, seconds),
      peakMiB,
    })),
  },
  [
    `${rowCount} tasks (${rounded(bareOut.bytes / 1e6)} MB of rows as COPY writes them) and ${megabytes} MB of files; the backup has ${rounded(size / 1e6)} MB.`,
    'Times of the commands include the start of their process; a restore builds all indexes, checks foreign keys and analyzes.',
    '',
    ...table(
      ['what', 'seconds', 'MB/s', 'memory at most, MiB'],
      rows.map(([what, seconds, bytes, peakMiB]) => [
        what,
        String(rounded(seconds)),
        String(rate(bytes, seconds)),
        peakMiB === null ? '' : String(peakMiB),
      ]),
    ),
  ],
)
