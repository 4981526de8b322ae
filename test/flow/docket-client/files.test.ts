import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Docket, NetworkError, NotFound } from 'docket-client'
import { AttachmentsClient, type SentBytes } from 'docket-client/attachments'
import { DocumentsClient, LoadFailed, type LoadProgress } from 'docket-client/documents'
import { fileAt, saveDownload, streamAt } from 'docket-client/node'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts'
import { admin } from '../../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../../harness/start-docket.ts'

const folder = mkdtempSync(join(tmpdir(), 'docket-files-'))
let running: RunningDocket
let proxy: FaultProxy
let docket: Docket
let attachments: AttachmentsClient
let documents: DocumentsClient
beforeAll(async () => {
  running = await startDocket()
  proxy = await startFaultProxy(running.baseUrl)
  docket = connect({ url: proxy.url, login: { username: admin.user, password: admin.password } })
  attachments = new AttachmentsClient(docket)
  documents = new DocumentsClient(docket.send)
})
afterEach(() => proxy.heal())
afterAll(async () => {
  await proxy.close()
  await running.close()
  rmSync(folder, { recursive: true, force: true })
})

const newTask = async (): Promise<string> =>
  String((await docket.table('task').create({ subject: 'With files' }, { fields: ['sys_id'] })).row['sys_id'])
const hashOf = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
/** 3 MB that no proxy sends in one piece. */
const large = Buffer.alloc(3_000_000, 'all work and no play ')

describe('attachments', () => {
  test('are attached all or none, listed, read and deleted', async () => {
    const task = await newTask()
    const files = [new File(['one'], 'ä (1).txt'), { name: 'two.bin', content: new Blob([large]) }]
    const attached = await attachments.upload('task', task, files)
    expect(attached.map(({ sys_id: _, link: __, ...rest }) => rest)).toEqual([
      {
        file_name: 'ä (1).txt',
        table: 'task',
        record_id: task,
        content_type: 'text/plain',
        size_bytes: 3,
        hash: hashOf('one'),
      },
      {
        file_name: 'two.bin',
        table: 'task',
        record_id: task,
        content_type: 'text/plain',
        size_bytes: large.length,
        hash: hashOf(large),
      },
    ])
    const listed = await attachments.list(task)
    expect(listed.map(({ sys_id, file_name, size_bytes }) => ({ sys_id, file_name, size_bytes }))).toEqual(
      attached.map(({ sys_id, file_name, size_bytes }) => ({ sys_id, file_name, size_bytes })),
    )
    const [first = '', second = ''] = attached.map(({ sys_id: sysId }) => sysId)
    const { body: _, blob, ...download } = await attachments.download(first)
    expect({ ...download, text: await (await blob()).text() }).toEqual({
      fileName: 'ä (1).txt',
      mediaType: expect.stringMatching(/^text\/plain/),
      size: 3,
      sha256: hashOf('one'),
      text: 'one',
    })
    await attachments.delete(second)
    await expect(attachments.download(second)).rejects.toBeInstanceOf(NotFound)
    expect((await attachments.list(task)).map(({ sys_id: sysId }) => sysId)).toEqual([first])
  })

  test('keep quotation marks in their names, and lose line ends', async () => {
    const task = await newTask()
    const [attached] = await attachments.upload('task', task, new File(['one'], 'a "1"\r\nX-Bad: %41.txt'))
    expect(attached?.file_name).toBe('a "1"X-Bad: %41.txt')
    expect((await attachments.download(attached?.sys_id ?? '')).fileName).toBe('a "1"X-Bad: %41.txt')
  })

  test('are attached once when the response is lost, and report what is sent', async () => {
    const task = await newTask()
    proxy.fail(/^POST \/v1\/attachments/, { kind: 'cut-after' }, 1)
    const seen: SentBytes[] = []
    await attachments.upload('task', task, new File([large], 'large.txt'), { onProgress: (bytes) => seen.push(bytes) })
    expect(await attachments.list(task)).toHaveLength(1)
    expect(seen.at(-1)).toEqual({ sent: large.length, total: large.length })
    expect(seen.every(({ total }) => total === large.length)).toBe(true)
  })

  test('a stream is sent as it is read, and never twice', async () => {
    const task = await newTask()
    const path = join(folder, 'streamed.txt')
    writeFileSync(path, large)
    const [attached] = await attachments.upload('task', task, await streamAt(path))
    expect(attached).toMatchObject({ file_name: 'streamed.txt', size_bytes: large.length, hash: hashOf(large) })
    const uploads = /^POST \/v1\/attachments/
    proxy.fail(uploads, { kind: 'cut-before' })
    await expect(attachments.upload('task', task, await streamAt(path))).rejects.toBeInstanceOf(NetworkError)
    expect(proxy.met(uploads)).toBe(1)
    expect(await attachments.list(task)).toHaveLength(1)
  })

  test('a download goes on behind the byte where it broke, and is compared with its SHA-256', async () => {
    const task = await newTask()
    const path = join(folder, 'source.txt')
    writeFileSync(path, large)
    const [attached] = await attachments.upload('task', task, await fileAt(path))
    const downloads = /^GET \/v1\/attachments/
    proxy.fail(downloads, { kind: 'cut-response' }, 3)
    const blob = await (await attachments.download(attached?.sys_id ?? '')).blob()
    expect([blob.size, hashOf(new Uint8Array(await blob.arrayBuffer()))]).toEqual([large.length, hashOf(large)])
    expect(proxy.met(downloads)).toBe(4)

    const copy = join(folder, 'copy.txt')
    await saveDownload(await attachments.download(attached?.sys_id ?? ''), copy)
    expect(hashOf(readFileSync(copy))).toBe(hashOf(large))
    const wrong = { ...(await attachments.download(attached?.sys_id ?? '')), sha256: hashOf('another') }
    await expect(saveDownload(wrong, copy)).rejects.toThrow(/arrived with the SHA-256 .*: read it again/)
    expect(readdirSync(folder).filter((name) => name.includes('copy'))).toEqual(['copy.txt'])
  })

  test('a signal ends an upload', async () => {
    const task = await newTask()
    const stop = new AbortController()
    const onProgress = (): void => stop.abort()
    const upload = attachments.upload('task', task, new File([large], 'x.txt'), { onProgress, signal: stop.signal })
    await expect(upload).rejects.toMatchObject({ name: 'Aborted', code: 'ABORTED' })
  })
})

describe('documents', () => {
  const text = 'The gyroscope drifts to the left. '.repeat(20)

  test('are loaded, listed, read and deleted', async () => {
    proxy.fail(/^POST \/load_/, { kind: 'cut-after' }, 1)
    const loaded = await documents.load('shelf', new File([text], 'gyro.txt'), {
      metadata: { doc_id: 'gyro', priority: 1 },
    })
    // The first attempt loaded it.
    expect(loaded).toMatchObject({ doc_id: 'gyro', collection_name: 'shelf', state: 'ready', result: 'unchanged' })
    expect(await documents.loadText('shelf', 'Nothing of that kind.', { metadata: { doc_id: 'other' } })).toMatchObject(
      {
        doc_id: 'other',
        result: 'created',
        version: 1,
      },
    )
    const listed = []
    for await (const { doc_id, file_name, size, sha256, metadata } of documents.list('shelf'))
      listed.push({ doc_id, file_name, size, sha256, metadata })
    expect(listed).toEqual([
      {
        doc_id: 'gyro',
        file_name: 'gyro.txt',
        size: text.length,
        sha256: hashOf(text),
        metadata: { doc_id: 'gyro', priority: 1 },
      },
      {
        doc_id: 'other',
        file_name: null,
        size: 21,
        sha256: hashOf('Nothing of that kind.'),
        metadata: { doc_id: 'other' },
      },
    ])
    const found = await documents.search('gyroscope', { collections: ['shelf'], k: 1 })
    expect(found.chunks.map(({ doc_id: docId }) => docId)).toEqual(['gyro'])
    expect(await (await (await documents.file('shelf', 'gyro')).blob()).text()).toBe(text)
    proxy.fail(/^DELETE /, { kind: 'cut-after' }, 1)
    expect(await documents.delete('shelf', 'gyro')).toBe(0)
    await expect(documents.delete('shelf', 'gyro')).rejects.toBeInstanceOf(NotFound)
    expect(await documents.deleteCollection('shelf')).toBe(1)
  })

  test('a load reports bytes, then the stages of the server', async () => {
    const seen: LoadProgress[] = []
    const status = await documents.load('slow', new File([text], 'slow.txt'), { onProgress: (each) => seen.push(each) })
    expect(status).toMatchObject({ collection_name: 'slow', state: 'ready', percent: 100, error: null })
    expect(seen[0]).toEqual({ kind: 'bytes', sent: text.length, total: text.length })
    expect(seen.at(-1)).toEqual({ kind: 'status', status })
    expect(await documents.status('slow', status.doc_id)).toEqual(status)
  })

  test('a load that fails after the upload says why', async () => {
    const broken = new File(['%PDF-1.7 and nothing else'], 'broken.pdf', { type: 'application/pdf' })
    const failed = await documents
      .load('slow', broken, { onProgress: () => undefined })
      .catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(LoadFailed)
    const { status, message } = failed as LoadFailed
    expect(status).toMatchObject({ state: 'failed', error: { code: expect.any(String), message } })
  })

  test('a queued load goes on without the client', async () => {
    const queued = await documents.queue('later', new File([text], 'later.txt'), { metadata: { doc_id: 'later' } })
    expect(queued).toEqual({ doc_id: 'later', collection_name: 'later', state: 'queued' })
    await expect.poll(async () => (await documents.status('later', 'later')).state).toBe('ready')
  })

  test('a collection is configured, and follows a table', async () => {
    await documents.loadText('settings', 'A text.', {})
    await documents.configure('settings', { chunk_units: 800 })
    const [settings] = await docket.request<readonly { chunk_units: number }[]>({
      method: 'GET',
      path: '/collections/settings',
    })
    expect(settings?.chunk_units).toBe(800)
    const state = await documents.follow('tasks', { table: 'task', template: '{number} {subject}' })
    expect(state).toMatchObject({
      collection: 'tasks',
      table: 'task',
      query: '',
      template: '{number} {subject}',
      error: null,
    })
  })
})
