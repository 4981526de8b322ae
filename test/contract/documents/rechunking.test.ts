import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chunkerVersion } from '../../../src/documents/rechunk/split-signature.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { type DocumentStage, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
})
afterAll(() => stage.close())

interface Chunk {
  readonly doc_id: string
  readonly from: number
  readonly to: number
  readonly text: string
  readonly heading_path: readonly string[]
}

const paragraphs = Array.from({ length: 12 }, (_, n) => `Paragraph ${n} speaks of the marmot. It ends here.`)
const markdown = `# Marmots\n\n${paragraphs.slice(0, 6).join('\n\n')}\n\n## Winter\n\n${paragraphs.slice(6).join('\n\n')}\n`

async function chunks(collection: string): Promise<readonly Chunk[]> {
  const { body } = await stage.send('reader', 'POST /get_relevant_documents', {
    query: 'marmot marmots',
    k: 999,
    collection_names: [collection],
  })
  return (body as { data: readonly Chunk[] }).data.toSorted((one, other) =>
    one.doc_id < other.doc_id ? -1 : one.doc_id > other.doc_id ? 1 : one.from - other.from,
  )
}

async function rechunkOf(collection: string): Promise<{ readonly due: number; readonly failed: number }> {
  const { body } = await stage.send('reader', `GET /collections/${collection}`)
  const [{ rechunk }] = (body as { data: [{ rechunk: { due: number; failed: number } }] }).data
  return rechunk
}

async function untilCut(collection: string): Promise<{ readonly failed: number }> {
  for (;;) {
    const { due, failed } = await rechunkOf(collection)
    if (due === 0) return { failed }
    await pause(20)
  }
}

async function content(collection: string): Promise<unknown> {
  const { body } = await stage.send('reader', `GET /get_content_by_tag?collection_name=${collection}`)
  return body
}

async function details(collection: string): Promise<unknown> {
  const { body } = await stage.send(
    'reader',
    `GET /get_list_of_documents_names?collection_name=${collection}&details=1`,
  )
  return (body as { data: readonly object[] }).data.map((each) => ({ ...each, chunks: 0 }))
}

async function fill(collection: string): Promise<void> {
  await stage.sendFile(
    'writer',
    `collection_name=${collection}`,
    { name: 'file.md', bytes: markdown },
    { doc_id: 'file' },
  )
  await stage.send('writer', `POST /load_text_to_collection?collection_name=${collection}`, {
    metadata: { doc_id: 'text', n: 1 },
    text: markdown,
  })
}

describe('changed chunk sizes cut what is loaded again, in the background (issue 11, 2.4)', () => {
  test('the chunks are those of a collection that had these sizes from the start; all else stays', async () => {
    await fill('changed')
    const [before, about] = [await content('changed'), await details('changed')]
    const old = await chunks('changed')
    await stage.send('admin', 'PUT /collections/changed', { chunk_units: 120, overlap_units: 0 })
    expect(await untilCut('changed')).toEqual({ failed: 0 })
    await stage.send('admin', 'PUT /collections/fresh', { chunk_units: 120, overlap_units: 0 })
    await fill('fresh')
    const without = (all: readonly Chunk[]) =>
      all.map(({ doc_id, from, to, text, heading_path }) => ({ doc_id, from, to, text, heading_path }))
    const now = await chunks('changed')
    expect(without(now)).toEqual(without(await chunks('fresh')))
    expect(now.length).toBeGreaterThan(old.length)
    // Including versions, times, metadata and texts.
    expect(await content('changed')).toEqual(before)
    expect(await details('changed')).toEqual(about)
    // Back to the former sizes.
    await stage.send('admin', 'PUT /collections/changed', { chunk_units: null, overlap_units: null })
    expect(await untilCut('changed')).toEqual({ failed: 0 })
    expect(without(await chunks('changed'))).toEqual(without(old))
  })

  test('the same content again is unchanged, before and after', async () => {
    await fill('same')
    await stage.send('admin', 'PUT /collections/same', { chunk_units: 120 })
    const load = () =>
      stage.send('writer', 'POST /load_text_to_collection?collection_name=same', {
        metadata: { doc_id: 'text', n: 1 },
        text: markdown,
      })
    expect((await load()).body).toMatchObject({ data: { result: 'unchanged', version: 1 } })
    await untilCut('same')
    expect((await load()).body).toMatchObject({ data: { result: 'unchanged', version: 1 } })
  })

  test('a search finds each document meanwhile, by its old chunks or its new ones', async () => {
    for (let n = 0; n < 12; n++)
      await stage.send('writer', 'POST /load_text_to_collection?collection_name=meanwhile', {
        metadata: { doc_id: `m${n}` },
        text: markdown,
      })
    await stage.send('admin', 'PUT /collections/meanwhile', { chunk_units: 120, overlap_units: 0 })
    for (let isDone = false; !isDone; ) {
      isDone = (await rechunkOf('meanwhile')).due === 0
      const found = await chunks('meanwhile')
      const ends = Map.groupBy(found, ({ doc_id }) => doc_id)
      expect([...ends.keys()]).toHaveLength(12)
      const counts = new Set([...ends.values()].map((all) => all.length))
      expect(counts.size).toBeLessThanOrEqual(2)
    }
  })

  test('a new collection has nothing to cut again: nothing changes it after its first load', async () => {
    await fill('new')
    const [row] = await stage.docket.database.rows(sql`
      select rechunk_due, cut_version from docket_documents.collection where name = 'new'`)
    expect(row).toEqual({ rechunk_due: false, cut_version: chunkerVersion })
  })

  test('a load in between wins', async () => {
    await fill('between')
    const put = stage.send('admin', 'PUT /collections/between', { chunk_units: 120, overlap_units: 0 })
    const loaded = await stage.send('writer', 'POST /load_text_to_collection?collection_name=between', {
      metadata: { doc_id: 'text' },
      text: 'Another marmot.',
    })
    await put
    expect(loaded.body).toMatchObject({ data: { result: 'replaced', version: 2 } })
    await untilCut('between')
    expect((await chunks('between')).filter(({ doc_id }) => doc_id === 'text')).toMatchObject([
      { text: 'Another marmot.' },
    ])
  })

  test('a text with a vector of its caller stays one chunk', async () => {
    await stage.send('writer', 'POST /load_text_to_collection?collection_name=whole', {
      text: markdown,
      vector: [1, 0],
    })
    await stage.send('admin', 'PUT /collections/whole', { chunk_units: 120 })
    expect(await untilCut('whole')).toEqual({ failed: 0 })
    expect(await chunks('whole')).toHaveLength(1)
  })

  test('a document whose file is lost keeps its chunks, and is counted as failed', async () => {
    await fill('lost')
    const ofFile = async () =>
      (await chunks('lost'))
        .filter(({ doc_id }) => doc_id === 'file')
        .map(({ from, to, text, heading_path }) => ({ from, to, text, heading_path }))
    const before = await ofFile()
    const database = stage.docket.database
    const [row] = await database.rows(sql<{ hash: string }>`
      select encode(d.blob_hash, 'hex') as hash from docket_documents.document d join docket_documents.collection c on c.id = d.collection_id
      where c.name = 'lost' and d.doc_id = 'file'`)
    const hash = row?.hash ?? ''
    // Other collections of this test use the same file; their work is finished.
    rmSync(join(stage.docket.dataDir, 'files', hash.slice(0, 2), hash))
    await stage.send('admin', 'PUT /collections/lost', { chunk_units: 120, overlap_units: 0 })
    for (;;) {
      // Without the pauses between attempts.
      await database.rows(sql`update docket_documents.rechunk set not_before = null`)
      if ((await rechunkOf('lost')).due === 0) break
      await pause(20)
    }
    expect(await rechunkOf('lost')).toEqual({ due: 0, failed: 1 })
    expect(await ofFile()).toEqual(before)
  })
})
