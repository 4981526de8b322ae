import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Aborted, AccessDenied, connect, type Docket, NetworkError } from 'docket-client'
import { DocumentsClient } from 'docket-client/documents'
import { type FileOutcome, syncFolder } from 'docket-client/node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeCallers } from '../../contract/documents/stage.ts'
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts'
import { admin } from '../../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../../harness/start-docket.ts'

let running: RunningDocket
let proxy: FaultProxy
let docket: Docket
let documents: DocumentsClient
let folder: string
beforeAll(async () => {
  running = await startDocket()
  proxy = await startFaultProxy(running.baseUrl)
  docket = connect({ url: proxy.url, login: { username: admin.user, password: admin.password } })
  documents = new DocumentsClient(docket.send)
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'docket-sync-'))
})
afterEach(() => {
  proxy.heal()
  rmSync(folder, { recursive: true, force: true })
})
afterAll(async () => {
  await proxy.close()
  await running.close()
})

function write(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

async function listed(collection: string): Promise<readonly object[]> {
  const all: object[] = []
  for await (const { doc_id, file_name, metadata, version } of documents.list(collection))
    all.push({ doc_id, file_name, metadata, version })
  return all
}

const none = { created: 0, replaced: 0, unchanged: 0, skipped: 0, rejected: [] }

describe('syncFolder', () => {
  test('loads the files of a folder by their paths, and then only what has changed', async () => {
    write({
      'a.txt': 'One text.',
      'sub/b.md': '# Two\n\nAnother text.',
      'sub/b.md.metadata.json': '{"category":"own","priority":2}',
      '.hidden/c.txt': 'hidden',
      'sub/.d.txt': 'hidden',
    })
    symlinkSync(join(folder, 'a.txt'), join(folder, 'link.txt'))
    const options = { prefix: 'docs/', metadata: { category: 'all' } }
    const outcomes: FileOutcome[] = []
    const first = await syncFolder(docket, 'synced', folder, { ...options, onFile: (each) => outcomes.push(each) })
    expect(first).toEqual({ ...none, created: 2 })
    expect(outcomes.map(({ docId, result }) => `${docId} ${result}`).sort()).toEqual([
      'docs/a.txt created',
      'docs/sub/b.md created',
    ])
    expect(await listed('synced')).toEqual([
      { doc_id: 'docs/a.txt', file_name: 'a.txt', metadata: { doc_id: 'docs/a.txt', category: 'all' }, version: 1 },
      {
        doc_id: 'docs/sub/b.md',
        file_name: 'b.md',
        metadata: { doc_id: 'docs/sub/b.md', category: 'own', priority: 2 },
        version: 1,
      },
    ])
    // What is there is not even sent.
    proxy.fail(/^POST \/load_/, { kind: 'respond', status: 500, body: '{}' })
    expect(await syncFolder(docket, 'synced', folder, options)).toEqual({ ...none, unchanged: 2 })
    proxy.heal()
    write({ 'a.txt': 'One text, changed.', 'sub/b.md.metadata.json': '{"category":"other"}', 'new.txt': 'New.' })
    expect(await syncFolder(docket, 'synced', folder, options)).toEqual({ ...none, created: 1, replaced: 2 })
    // The command of the server's own program finds nothing left to do, either way.
    expect((await listed('synced')).length).toBe(3)
  })

  test('a file that the server does not take is reported, and the others are loaded', async () => {
    write({
      'good.txt': 'A good text.',
      'broken.pdf': '%PDF-1.7 and nothing else',
      'image.png': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
      'bad.txt': 'text',
      'bad.txt.metadata.json': '[1]',
      'wrong.txt': 'text',
      'wrong.txt.metadata.json': '{"priority":"high"}',
    })
    const { rejected, ...counts } = await syncFolder(docket, 'partly', folder, { skipUnsupported: true })
    expect(counts).toEqual({ created: 1, replaced: 0, unchanged: 0, skipped: 1 })
    const reasons = Object.fromEntries(rejected.map(({ docId, message }) => [docId, message]))
    expect(reasons).toEqual({
      'broken.pdf': expect.any(String),
      'bad.txt': expect.stringContaining('does not contain a JSON object'),
      'wrong.txt': expect.stringContaining('priority'),
    })
  })

  test('a document whose metadata names its doc_id is known by it', async () => {
    write({ 'named.txt': 'A text.', 'named.txt.metadata.json': '{"doc_id":"own id"}' })
    const outcomes: string[] = []
    const onFile = ({ docId, result }: FileOutcome) => outcomes.push(`${docId} ${result}`)
    expect(await syncFolder(docket, 'named', folder, { onFile })).toEqual({ ...none, created: 1 })
    proxy.fail(/^POST \/load_/, { kind: 'respond', status: 500, body: '{}' })
    expect(await syncFolder(docket, 'named', folder, { onFile })).toEqual({ ...none, unchanged: 1 })
    expect(outcomes).toEqual(['own id created', 'own id unchanged'])
  })

  test('without a worker nothing would be loaded: fewer than one is an error', async () => {
    write({ 'a.txt': 'A text.' })
    for (const parallel of [0, -1, 1.5, Number.NaN])
      await expect(syncFolder(docket, 'nothing', folder, { parallel })).rejects.toBeInstanceOf(RangeError)
  })

  test('a large file is followed through the stages of the server', async () => {
    write({ 'large.txt': 'All work and no play. '.repeat(400_000) })
    expect(await syncFolder(docket, 'large', folder)).toEqual({ ...none, created: 1 })
    expect((await documents.status('large', 'large.txt')).state).toBe('ready')
  })

  test('a server that is not there, a caller who may not, and a signal end the run', async () => {
    write(Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`${at}.txt`, `Text ${at}.`])))
    const gone = connect({ url: 'http://127.0.0.1:1', token: 'x', retry: 0 })
    await expect(syncFolder(gone, 'ended', folder)).rejects.toBeInstanceOf(NetworkError)
    const { reader } = await makeCallers(running)
    const mayNot = connect({ url: proxy.url, token: reader })
    await expect(syncFolder(mayNot, 'ended', folder)).rejects.toBeInstanceOf(AccessDenied)
    const stop = new AbortController()
    const stopped = syncFolder(docket, 'ended', folder, {
      parallel: 1,
      signal: stop.signal,
      onFile: () => stop.abort(),
    })
    await expect(stopped).rejects.toBeInstanceOf(Aborted)
    // What was loaded stays; the same call goes on.
    const { created, unchanged } = await syncFolder(docket, 'ended', folder)
    expect([created, unchanged]).toEqual([11, 1])
  })
})

describe('measures, keys and chunks', () => {
  test('an evaluation of more questions than the server takes at once is one', async () => {
    await documents.loadText('judged', 'The gyroscope drifts.', { metadata: { doc_id: 'gyro' } })
    await documents.loadText('judged', 'A compass does not.', { metadata: { doc_id: 'compass', kind: 'tool' } })
    const queries = Array.from({ length: 250 }, (_, at) => ({
      id: `${at}`,
      text: at % 2 === 0 ? 'gyroscope' : 'compass',
    }))
    const judgements = queries.map(({ id }) => ({ query_id: id, doc_id: 'gyro', gain: 1 }))
    const evaluated = await documents.evaluate('judged', { queries, judgements }, { mode: 'lexical' })
    expect({ ...evaluated, queries: evaluated.queries.length }).toEqual({
      questions: 250,
      modes: ['lexical'],
      ndcg10: 0.5,
      map: 0.5,
      recall10: 0.5,
      recall100: 0.5,
      queries: 250,
    })
    expect(evaluated.queries[0]).toMatchObject({ ndcg10: 0, found: ['compass'], missed: ['gyro'] })
    expect(evaluated.queries.at(-1)).toMatchObject({ ndcg10: 1, found: ['gyro'], missed: [] })
    await expect(
      documents.evaluate('judged', { queries: [], judgements: [{ query_id: 'x', doc_id: 'gyro', gain: 1 }] }),
    ).rejects.toThrow('There is no query with the id x.')
  })

  test('keys and chunks are those of the server', async () => {
    const { keys, documents: read, isComplete } = await documents.metadataKeys({ collections: ['judged'], values: 1 })
    expect([read, isComplete]).toEqual([2, true])
    expect(keys.find(({ key }) => key === 'kind')).toEqual({
      key: 'kind',
      types: ['text'],
      documents: 1,
      distinct_values: 1,
      values: [{ value: 'tool', documents: 1 }],
    })
    const chunks = []
    for await (const chunk of documents.chunks('judged', 'gyro')) chunks.push(chunk)
    expect(chunks).toEqual([{ chunk_index: 0, from: 0, to: 21, page: null, page_to: null, heading_path: [] }])
  })
})
