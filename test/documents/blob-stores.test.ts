import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type BlobStore,
  blobPath,
  diskBlobStore,
  type ReceivedFile,
  receiveFile,
  type StoredBlob,
} from '../../src/documents/store/blob-store.ts'
import { objectUrl, s3BlobStore } from '../../src/documents/store/s3-blob-store.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { type S3StandIn, signatureOf, startS3 } from '../harness/s3-stand-in.ts'

const folder = mkdtempSync(join(tmpdir(), 'docket-blobs-'))
const scratchFolder = join(folder, 'scratch')
let s3: S3StandIn
beforeAll(async () => {
  s3 = await startS3()
})
afterAll(async () => {
  await s3.close()
  rmSync(folder, { recursive: true })
})

const receive = (bytes: Buffer | string): Promise<ReceivedFile> =>
  receiveFile(Readable.from([Buffer.from(bytes)]), join(folder, 'received'), 1e9)
const s3Store = (options: { readonly prefix?: string } = {}): BlobStore =>
  s3BlobStore({ ...s3, isPathStyle: true, prefix: '', clock: systemClock, scratchFolder, ...options })

const listOf = async (store: BlobStore): Promise<readonly StoredBlob[]> => {
  const listed: StoredBlob[] = []
  for await (const blob of store.list()) listed.push(blob)
  return listed
}

const stores: readonly (readonly [string, () => BlobStore])[] = [
  ['files on a disk', () => diskBlobStore(mkdtempSync(join(folder, 'disk-')))],
  ['objects of a bucket', () => s3Store()],
  ['objects below a prefix with odd letters', () => s3Store({ prefix: 'a folder/two (2)/файлы/' })],
]

describe.each(stores)('blobs as %s', (_, make) => {
  let store: BlobStore
  beforeAll(() => {
    store = make()
  })
  const contents = ['', 'a text', randomBytes(300_000)].map((bytes) => Buffer.from(bytes))

  test('are kept byte by byte, listed with their sizes, and removed', async () => {
    const files = await Promise.all(contents.map(receive))
    for (const file of files) await store.keep(file)
    for (const [at, { hash }] of files.entries()) {
      expect(await buffer(await store.read(hash))).toEqual(contents[at])
      const fetched = await store.fetch(hash)
      expect(readFileSync(fetched.path)).toEqual(contents[at])
      await fetched.release()
    }
    const listed = await listOf(store)
    const bySize = (x: { size: number }, y: { size: number }) => x.size - y.size
    expect(listed.map(({ hash, size }) => ({ hash, size })).sort(bySize)).toEqual(
      files.map(({ hash, size }) => ({ hash, size })).sort(bySize),
    )
    expect(listed.every(({ changedMs }) => changedMs > 0)).toBe(true)
    for (const { hash } of files) await store.remove(hash)
    for (const { hash } of files) await store.remove(hash)
    expect(await listOf(store)).toEqual([])
    await expect(store.read(files[1]?.hash ?? Buffer.alloc(32))).rejects.toThrow()
  })

  test('are read in part', async () => {
    const bytes = randomBytes(100_000)
    const file = await receive(bytes)
    await store.keep(file)
    for (const [from, to] of [
      [0, 0],
      [10, 70_000],
      [99_990, 99_999],
    ] as const) {
      expect(await buffer(await store.read(file.hash, { from, to }))).toEqual(bytes.subarray(from, to + 1))
    }
    await store.remove(file.hash)
  })

  test('are there once, however often the same bytes come', async () => {
    const [one, other] = await Promise.all(['twice', 'twice'].map(receive))
    if (one === undefined || other === undefined) throw new Error('nothing was received')
    await Promise.all([store.keep(one), store.keep(other)])
    await store.keep(one)
    expect((await listOf(store)).length).toBe(1)
  })
})

describe('on a disk', () => {
  test('what a process that is gone had begun is dropped, finished files and fresh beginnings stay', async () => {
    const disk = mkdtempSync(join(folder, 'begun-'))
    const store = diskBlobStore(disk)
    const file = await receive('whole')
    await store.keep(file)
    const path = join(disk, blobPath(file.hash))
    const begun = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'].map(
      (id) => `${path}.${id}`,
    )
    for (const each of begun) writeFileSync(each, 'half')
    for (const each of [path, begun[0] ?? '']) utimesSync(each, 1_000, 1_000)
    await store.dropUnfinished(2_000_000)
    expect(readdirSync(join(path, '..')).sort()).toEqual([path, begun[1] ?? ''].map((each) => each.split('/').at(-1)))
    expect((await listOf(store)).length).toBe(1)
  })
})

describe('in a bucket', () => {
  test('the stand-in computes the signature that the description of S3 gives for its example', () => {
    const request = {
      method: 'GET',
      target: '/test.txt',
      headers: {
        host: 'examplebucket.s3.amazonaws.com',
        range: 'bytes=0-9',
        'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        'x-amz-date': '20130524T000000Z',
      },
    }
    const credentials = {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      region: 'us-east-1',
    }
    expect(signatureOf(request, credentials)).toBe('f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41')
  })

  test('a bucket stands in the path or before the host', () => {
    const at = { endpoint: 'https://s3.example.com:9000/store/', bucket: 'files', prefix: 'docket/' }
    const path = 'ab/abc'
    expect(objectUrl({ ...at, isPathStyle: true }, { path })).toBe(
      'https://s3.example.com:9000/store/files/docket/ab/abc',
    )
    expect(objectUrl({ ...at, isPathStyle: false }, { path })).toBe(
      'https://files.s3.example.com:9000/store/docket/ab/abc',
    )
    expect(objectUrl({ ...at, isPathStyle: false }, { path: null, query: { prefix: 'a b' } })).toBe(
      'https://files.s3.example.com:9000/store/?prefix=a%20b',
    )
  })

  test('an equal file is not sent again', async () => {
    const store = s3Store({ prefix: 'again/' })
    const file = await receive('once')
    await store.keep(file)
    s3.requested.length = 0
    await store.keep(file)
    expect(s3.requested).toEqual([`HEAD /${s3.bucket}/again/${blobPath(file.hash)}`])
  })

  test('what passes is tried again; what does not is told with the reason of the store', async () => {
    const store = s3Store({ prefix: 'tries/' })
    const file = await receive('patience')
    s3.failNext.push(503, 429)
    await store.keep(file)
    expect(await buffer(await store.read(file.hash))).toEqual(Buffer.from('patience'))
    await expect(store.read(createHash('sha256').update('absent').digest())).rejects.toThrow(
      /rejected GET \w\w\/\w{64} with status 404 \(NoSuchKey: refused by the stand-in\)/,
    )
  })

  test.each([
    ['another secret', { secretAccessKey: 'another' }, 'SignatureDoesNotMatch'],
    ['another key', { accessKeyId: 'AKIDOTHER' }, 'InvalidAccessKeyId'],
    ['another region', { region: 'mars-north-1' }, 'AuthorizationHeaderMalformed'],
    ['a wrong clock', { clock: { nowMs: () => 1_000_000_000_000 } }, 'RequestTimeTooSkewed'],
    ['another bucket', { bucket: 'absent' }, 'NoSuchBucket'],
  ])('%s is rejected', async (_, wrong, code) => {
    const store = s3BlobStore({ ...s3, isPathStyle: true, prefix: '', clock: systemClock, scratchFolder, ...wrong })
    await expect(store.keep(await receive('x'))).rejects.toThrow(code)
  })

  test('an object with other bytes is not taken for the file', async () => {
    const store = s3Store({ prefix: 'damaged/' })
    const file = await receive('the file')
    s3.objects.set(`damaged/${blobPath(file.hash)}`, { bytes: Buffer.from('the fake'), changedMs: 0 })
    await expect(store.fetch(file.hash)).rejects.toThrow('holds other bytes')
    expect(readdirSync(scratchFolder)).toEqual([])
  })
})
