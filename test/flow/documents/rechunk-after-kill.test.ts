import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../../harness/spawn-docket.ts'

const dataDir = temporaryFolder()
let fresh: FreshDatabase
let docket: SpawnedDocket
const start = () => spawnDocket({ DOCKET_DATABASE_URL: fresh.connectionString, DOCKET_DATA_DIR: dataDir })
beforeAll(async () => {
  fresh = await freshDatabase()
  docket = await start()
})
afterAll(async () => {
  await docket.stop()
  await fresh.drop()
})

const authorization = `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}`

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${docket.address}${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  expect(response.status).toBe(200)
  return ((await response.json()) as { readonly data: T }).data
}

const documents = 24
const text = Array.from({ length: 40 }, (_, n) => `Sentence ${n} speaks of the pika. It ends here.`).join(' ')
const rechunk = async () => {
  const [details] = await call<{ rechunk: { due: number; failed: number } }[]>('GET', '/collections/killed')
  return details?.rechunk ?? { due: 0, failed: 0 }
}
const chunkCounts = async () => {
  const found = await call<{ doc_id: string; to: number; from: number }[]>(
    'POST',
    '/get_relevant_documents?query=pika&k=1000',
    { collection_names: ['killed'] },
  )
  return Map.groupBy(found, ({ doc_id }) => doc_id)
}

test('changed chunk sizes reach every document, also when the server is killed again and again meanwhile (issue 11, 2.4)', async () => {
  for (let n = 0; n < documents; n++)
    await call('POST', '/load_text_to_collection?collection_name=killed', { metadata: { doc_id: `d${n}` }, text })
  await call('PUT', '/collections/killed', { chunk_units: 150, overlap_units: 0 })
  for (let kills = 0; kills < 2; kills++) {
    docket.signal('SIGKILL')
    docket = await start()
    // Whatever was in progress: each document exists once, with its old chunks or its new ones.
    expect((await chunkCounts()).size).toBe(documents)
  }
  while ((await rechunk()).due > 0) await pause(50)
  expect(await rechunk()).toEqual({ due: 0, failed: 0 })
  const counts = await chunkCounts()
  expect(counts.size).toBe(documents)
  for (const chunks of counts.values()) {
    expect(chunks.every(({ from, to }) => to - from <= 150)).toBe(true)
    expect(Math.max(...chunks.map(({ to }) => to))).toBe(text.length)
  }
}, 300_000)
