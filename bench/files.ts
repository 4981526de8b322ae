/**
 * npm run bench:files: upload and download of a large file, on disk and in an object store, compared with a bare server of Node that writes
 * it to a file: speed, and memory of the server.
 *
 *   --bytes 2000000000   size
 */
import { fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { request as call, type RequestOptions } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { administratorId } from '../src/identity/administrator.ts'
import { sql } from '../src/kernel/sql.ts'
import { objectStoreSettings, startS3 } from '../test/harness/s3-stand-in.ts'
import { temporaryFolder } from '../test/harness/spawn-docket.ts'
import { rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { type MemoryCurve, withMemoryCurve } from './measure/memory-curve.ts'
import { cpuSecondsOf } from './measure/process-usage.ts'
import { table, writeResults } from './measure/results.ts'
import { keyFor } from './records/seed.ts'
import { startDocket, startPostgres } from './records/servers.ts'

const { values: given } = parseArgs({ options: { bytes: { type: 'string', default: '2000000000' } } })
const size = Number(given.bytes)

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const bench = await (await startPostgres(started))('bench')
const key = await keyFor(bench.database, administratorId)
const [task] = await bench.database.rows<{ id: string }>(
  sql`insert into docket.task (subject) values ('With large files') returning sys_id::text as id`,
)
const folder = temporaryFolder()
started.defer(async () => rmSync(folder, { recursive: true, force: true }))
const dataDirs = { disk: join(folder, 'disk'), store: join(folder, 'store'), objects: join(folder, 'objects') }
for (const each of Object.values(dataDirs)) mkdirSync(each)
const s3 = await startS3('docket-files', dataDirs.objects)
started.defer(() => s3.close())
const onDisk = await startDocket(bench, started, { DOCKET_DATA_DIR: dataDirs.disk })
const inStore = await startDocket(bench, started, {
  DOCKET_DATA_DIR: dataDirs.store,
  ...objectStoreSettings(s3),
})
const bare = await startBareFiles()

/** A megabyte that is sent repeatedly, each time with its number: all files of a run differ. */
const block = randomBytes(1_048_576)
function* pieces(): Generator<Buffer> {
  for (let left = size; left > 0; left -= block.length) {
    block.writeUInt32LE(left >>> 0, 0)
    yield Buffer.from(block.subarray(0, Math.min(left, block.length)))
  }
}

interface Server {
  readonly host: string
  readonly port: number
  readonly processId: number
}
interface Row {
  readonly what: string
  readonly megabytesPerSecond: number
  readonly cpuSeconds: number
  readonly memory: MemoryCurve
}
const rows: Row[] = []

async function measure(what: string, server: Server, work: () => Promise<unknown>): Promise<void> {
  const cpu = cpuSecondsOf(server.processId)
  const begun = performance.now()
  const memory = await withMemoryCurve(server.processId, work)
  const seconds = (performance.now() - begun) / 1_000
  rows.push({
    what,
    megabytesPerSecond: rounded(size / 1e6 / seconds),
    cpuSeconds: rounded(cpuSecondsOf(server.processId) - cpu),
    memory,
  })
}

async function send(server: Server, path: string, form: string | null): Promise<string> {
  const head = `--${form}\r\nContent-Disposition: form-data; name="files[]"; filename="large.bin"\r\n\r\n`
  const tail = `\r\n--${form}--\r\n`
  const length = form === null ? size : size + head.length + tail.length
  const options: RequestOptions = {
    ...{ host: server.host, port: server.port, method: 'POST', path },
    headers: {
      authorization: `Bearer ${key}`,
      'content-length': length,
      ...(form === null ? {} : { 'content-type': `multipart/form-data; boundary=${form}` }),
    },
  }
  const requested = call(options)
  const responded = new Promise<string>((resolve, reject) => {
    requested.on('error', reject)
    requested.on('response', (response) => {
      const texts: Buffer[] = []
      response.on('data', (text: Buffer) => texts.push(text))
      response.on('end', () => {
        const text = Buffer.concat(texts).toString()
        if (response.statusCode === 200) resolve(text)
        else reject(new Error(`${response.statusCode} ${text}`))
      })
    })
  })
  const body = function* (): Generator<Buffer> {
    if (form !== null) yield Buffer.from(head)
    yield* pieces()
    if (form !== null) yield Buffer.from(tail)
  }
  await pipeline(Readable.from(body(), { objectMode: false }), requested)
  return responded
}

/** Reads a file to its end and discards it. */
async function take(server: Server, path: string): Promise<void> {
  const response = await fetch(`http://${server.host}:${server.port}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  let bytes = 0
  for await (const piece of response.body ?? []) bytes += (piece as Uint8Array).length
  if (response.status !== 200 || bytes !== size) throw new Error(`${response.status}: ${bytes} bytes`)
}

await measure('bare server, in', bare, () => send(bare, '/', null))
await measure('bare server, out', bare, () => take(bare, '/'))
for (const [name, server] of [
  ['Docket on a disk', onDisk],
  ['Docket with an object store', inStore],
] as const) {
  let id = ''
  let hash = ''
  await measure(`${name}, in`, server, async () => {
    const text = await send(server, `/v1/attachments/upload/task/${task?.id}`, 'a-boundary')
    const [made] = (JSON.parse(text) as { data: { sys_id: string; hash: string }[] }).data
    id = made?.sys_id ?? ''
    hash = made?.hash ?? ''
  })
  const whole = createHash('sha256')
  for (const piece of pieces()) whole.update(piece)
  if (whole.digest('hex') !== hash) throw new Error(`${name} has other bytes`)
  await measure(`${name}, out`, server, () => take(server, `/v1/attachments/${id}/file`))
}
const left = [dataDirs.disk, dataDirs.store].flatMap((each) => readdirSync(join(each, 'uploads')))
if (left.length > 0) throw new Error(`uploads were left behind: ${left.join(', ')}`)

writeResults('files', { machine, bytes: size, rows }, [
  ...table(
    ['what', 'MB/s', 'CPU of the server, s', 'memory before, MiB', 'at most, MiB'],
    rows.map(({ what, megabytesPerSecond, cpuSeconds, memory }) => [
      what,
      String(megabytesPerSecond),
      String(cpuSeconds),
      String(memory.before),
      String(memory.peak),
    ]),
  ),
  '',
  `${size} bytes each. The object store is a stand-in in the process of the bench, which writes to a disk and checks hashes and signatures; client and servers share the machine.`,
])

async function startBareFiles(): Promise<Server> {
  const child = fork(fileURLToPath(new URL('./bare-file-server.ts', import.meta.url)), [folder])
  const ended = new Promise((resolve) => child.once('exit', resolve))
  started.defer(async () => {
    if (child.connected) child.disconnect()
    await ended
  })
  const port = await new Promise<number>((resolve) => child.once('message', (message) => resolve(Number(message))))
  return { host: '127.0.0.1', port, processId: child.pid ?? 0 }
}
