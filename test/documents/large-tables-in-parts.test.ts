import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeRandom } from '../../bench/search/corpus.ts'
import { vectorTablesOf } from '../../src/config/segment-tables-of.ts'
import { readSettings } from '../../src/config/settings.ts'
import { VectorTables } from '../../src/embeddings/lancedb/vector-tables.ts'
import { similarityOf, unitLength } from '../../src/embeddings/similarity.ts'
import { objectStoreSettings, type S3StandIn, startS3 } from '../harness/s3-stand-in.ts'

// LanceDB sends files of 5 MB and more in parts (docs/decisions/0056).

const numbers = 512
/** More than 10 MB, and enough for an index, which is as large. */
const rows = 5_500

let s3: S3StandIn
let tables: VectorTables
beforeAll(async () => {
  s3 = await startS3()
  s3.pageSize = 1_000
  const settings = readSettings({
    ...objectStoreSettings(s3),
    DOCKET_VECTORS: 'lancedb',
    DOCKET_LANCEDB_PACKAGES: 'test/lancedb',
  })
  const place = vectorTablesOf(settings)
  if (place === null) throw new Error('no place of tables')
  tables = new VectorTables({ ...place, storageOptions: { ...place.storageOptions, client_max_retries: '0' } })
})
afterAll(() => s3.close())

const random = makeRandom(7)
const vectors = Array.from({ length: rows }, () => Float32Array.from({ length: numbers }, () => random() - 0.5))

async function* documents() {
  yield vectors.map((each, at) => ({
    ...{ collectionId: 1, documentId: at, docId: `d${at}`, firstChunk: 0, numbers: each },
  }))
}

test('a table of more than 10 MB is sent to an object store in parts, and read back as it was', async () => {
  const written = await tables.write(documents(), numbers, 'exact')
  expect(written).toMatchObject({ rowCount: rows, index: 'exact' })
  const name = written?.name ?? ''
  const inParts = [...s3.objects].filter(([key, { parts = 0 }]) => key.includes(name) && parts > 1)
  expect(inParts.some(([key, { bytes }]) => key.includes('/data/') && bytes.length > 10_000_000)).toBe(true)
  expect(s3.openUploads()).toEqual([])

  const read = await tables.rowsOf(name, [...vectors.keys()])
  const stored = new Map(read.map(({ documentId, vector }) => [documentId, vector]))
  expect(stored.size).toBe(rows)
  expect(vectors.every((each, at) => Buffer.compare(bytesOf(unitLength(each)), bytesOf(stored.get(at))) === 0)).toBe(
    true,
  )

  const query = unitLength(Float32Array.from({ length: numbers }, () => random() - 0.5))
  const nearest = vectors
    .map((each, at) => ({ at, similarity: similarityOf(unitLength(each), query) }))
    .sort((one, other) => other.similarity - one.similarity)
    .slice(0, 20)
  const all = { collectionIds: null, documentIds: null, approximation: null }
  const found = await tables.nearest({ name, index: 'exact' }, { ...all, vector: query, limit: 20 })
  expect(found.map(({ documentId }) => documentId)).toEqual(nearest.map(({ at }) => at))
  tables.forgetOthers(new Set())
})

test('if a part is rejected, the upload is aborted, and nothing of the table stays', async () => {
  const before = [...s3.objects.keys()]
  s3.partsFail = true
  await expect(tables.write(documents(), numbers, 'exact')).rejects.toThrow('multipart upload')
  s3.partsFail = false
  await expect.poll(() => s3.openUploads()).toEqual([])
  expect(s3.requested).toContainEqual(expect.stringMatching(/^DELETE .*\/data\//))
  expect([...s3.objects.keys()]).toEqual(before)
})

const bytesOf = (vector: Float32Array | undefined): Buffer =>
  vector === undefined ? Buffer.alloc(0) : Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
