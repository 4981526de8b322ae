import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { request as call } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { admin, type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { objectStoreSettings, type S3StandIn, startS3 } from '../harness/s3-stand-in.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'

const megabyte = 1_048_576
const fileBytes = 512 * megabyte
/**
 * How much more memory a server may take, whatever passes through it: buffers, and garbage that is not collected yet. The latter varies, at
 * most 125 MB so far; the limit only needs to be far from that and from the size of the file.
 */
const leewayBytes = 320 * megabyte

const folder = temporaryFolder()
let fresh: FreshDatabase
let s3: S3StandIn
let task: string
beforeAll(async () => {
  fresh = await freshDatabase()
  mkdirSync(join(folder, 'objects'))
  s3 = await startS3('docket-files', join(folder, 'objects'))
  const [made] = await fresh.database.rows<{ id: string }>(
    sql`insert into docket.task (subject) values ('Large files') returning sys_id::text as id`,
  )
  task = made?.id ?? ''
})
afterAll(async () => {
  await s3.close()
  await fresh.drop()
})

const stores = {
  'on a disk': () => ({}),
  'in an object store': () => ({
    ...objectStoreSettings(s3),
  }),
} as const

const authorization = `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}`
const boundary = 'between-the-parts'
const head = `--${boundary}\r\nContent-Disposition: form-data; name="files[]"; filename="large.bin"\r\n\r\n`
const tail = `\r\n--${boundary}--\r\n`

function* pieces(seed: number): Generator<Buffer> {
  for (let at = 0; at < fileBytes / megabyte; at += 1) yield Buffer.alloc(megabyte, `${seed}:${at};`)
}

/** @param max how much of the body is sent before the client disconnects; null: all of it */
function upload(
  docket: SpawnedDocket,
  seed: number,
  max: number | null,
): Promise<{ status: number; text: string } | null> {
  const { hostname, port } = new URL(docket.address)
  const requested = call({
    ...{ host: hostname, port, method: 'POST', path: `/v1/attachments/upload/task/${task}` },
    headers: {
      authorization,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': head.length + fileBytes + tail.length,
    },
  })
  let hasResponse = false
  const responded = new Promise<{ status: number; text: string } | null>((resolve) => {
    requested.on('close', () => {
      if (!hasResponse) resolve(null)
    })
    requested.on('response', async (response) => {
      hasResponse = true
      const texts: Buffer[] = []
      for await (const text of response) texts.push(text as Buffer)
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(texts).toString() })
    })
  })
  const body = function* (): Generator<Buffer> {
    let sent = 0
    yield Buffer.from(head)
    for (const piece of pieces(seed)) {
      if (max !== null && sent >= max) throw new Error('the client goes away')
      yield piece
      sent += piece.length
    }
    yield Buffer.from(tail)
  }
  pipeline(Readable.from(body(), { objectMode: false }), requested).catch(() => undefined)
  return responded
}

/** The peak of a process's resident memory since the last call. */
function memoryOf({ processId }: SpawnedDocket, name: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] =
    new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${processId}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1_024
}
async function growthOf<T>(docket: SpawnedDocket, work: () => Promise<T>): Promise<readonly [T, number]> {
  const before = memoryOf(docket, 'VmRSS')
  writeFileSync(`/proc/${docket.processId}/clear_refs`, '5')
  const done = await work()
  return [done, memoryOf(docket, 'VmHWM') - before]
}

// The kernel records the peak; other systems do not.
describe.skipIf(process.platform !== 'linux').each(Object.entries(stores))(
  'files of records %s',
  (name, environment) => {
    const seed = Object.keys(stores).indexOf(name)
    const dataDir = join(folder, `data-${seed}`)
    let docket: SpawnedDocket
    beforeAll(async () => {
      docket = await spawnDocket({
        DOCKET_DATABASE_URL: fresh.connectionString,
        DOCKET_DATA_DIR: dataDir,
        DOCKET_WORKERS: '1',
        ...environment(),
      })
    })
    afterAll(async () => {
      await docket.stop()
    })

    test('a file that is larger than the leeway goes in and out, and the server needs no more memory for it', async () => {
      const whole = createHash('sha256')
      for (const piece of pieces(seed)) whole.update(piece)
      const hash = whole.digest('hex')
      const [sent, growthIn] = await growthOf(docket, () => upload(docket, seed, null))
      expect([sent?.status, JSON.parse(sent?.text ?? '{}')]).toMatchObject([
        200,
        { data: [{ hash, size_bytes: fileBytes }] },
      ])
      expect(growthIn).toBeLessThan(leewayBytes)
      const { sys_id } = (JSON.parse(sent?.text ?? '') as { data: [{ sys_id: string }] }).data[0]
      const [received, growthOut] = await growthOf(docket, async () => {
        const response = await fetch(`${docket.address}/v1/attachments/${sys_id}/file`, { headers: { authorization } })
        const found = createHash('sha256')
        for await (const piece of response.body ?? []) found.update(piece as Uint8Array)
        return [response.status, found.digest('hex')]
      })
      expect(received).toEqual([200, hash])
      expect(growthOut).toBeLessThan(leewayBytes)
      expect(readdirSync(join(dataDir, 'uploads'))).toEqual([])
    })

    test('a client that goes away in the middle leaves nothing, whichever way the bytes went', async () => {
      const rows = () =>
        fresh.database.rows(sql`select (select count(*)::integer from docket.sys_attachment) as files,
        (select count(*)::integer from docket_system.attachment_blob) as blobs`)
      const before = await rows()
      expect(await upload(docket, 100 + seed, 40 * megabyte)).toBeNull()
      await expect.poll(() => readdirSync(join(dataDir, 'uploads')), { timeout: 60_000 }).toEqual([])
      expect(await rows()).toEqual(before)
      const [file] = await fresh.database.rows<{ id: string }>(
        sql`select sys_id::text as id from docket.sys_attachment order by sys_id desc limit 1`,
      )
      // Descriptors of the server, or of the store behind it, which is part of this process.
      const openFiles = () =>
        [docket.processId, process.pid].flatMap((id) =>
          readdirSync(`/proc/${id}/fd`).flatMap((each) => fileOf(`/proc/${id}/fd/${each}`)),
        )
      const gone = new AbortController()
      const response = await fetch(`${docket.address}/v1/attachments/${file?.id}/file`, {
        headers: { authorization },
        signal: gone.signal,
      })
      await response.body?.getReader().read()
      gone.abort()
      await expect.poll(openFiles, { timeout: 60_000 }).toEqual([])
    })
  },
)

/** The file of a descriptor; it may be closed by now. */
function fileOf(descriptor: string): readonly string[] {
  try {
    const path = readlinkSync(descriptor)
    return /[0-9a-f]{64}$|\/objects\//.test(path) && path.startsWith(folder) ? [path] : []
  } catch {
    return []
  }
}
