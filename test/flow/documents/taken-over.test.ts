import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { makeCallers, type Who } from '../../contract/documents/stage.ts'
import { type ConverterStandIn, oldWord, respondWithPage, startConverter } from '../../harness/converter-stand-in.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { embedByMeaning, type ModelStandIn, startModelStandIn } from '../../harness/model-stand-in.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../../harness/spawn-docket.ts'

// Leases end far in the future, so that a test that waits for the end of one fails. The work of a killed process is taken over because its
// connection has ended.

let fresh: FreshDatabase
let converter: ConverterStandIn
let model: ModelStandIn
let keys: Readonly<Record<Who, string>>
const dataDir = temporaryFolder()
beforeAll(async () => {
  fresh = await freshDatabase()
  keys = await makeCallers(fresh)
  converter = await startConverter()
  model = await startModelStandIn()
})
afterAll(async () => {
  await converter.stop()
  await model.stop()
  await fresh.drop()
})

const start = (more: Readonly<Record<string, string>> = {}): Promise<SpawnedDocket> =>
  spawnDocket({
    DOCKET_DATABASE_URL: fresh.connectionString,
    DOCKET_DATA_DIR: dataDir,
    DOCKET_CONVERTER_URL: converter.url,
    DOCKET_CONVERTER_TIMEOUT_SECONDS: '3600',
    ...more,
  })

async function queue(docket: SpawnedDocket, docId: string): Promise<void> {
  const form = new FormData()
  form.set('metadata', JSON.stringify({ doc_id: docId }))
  form.set('file', new Blob([new Uint8Array(oldWord(docId))]), 'old.doc')
  const response = await fetch(`${docket.address}/load_document_to_collection?collection_name=taken&async=1`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.writer}` },
    body: form,
  })
  expect(response.status).toBe(202)
  await response.arrayBuffer()
}

interface Status {
  readonly state: string
  readonly attempts: number
  readonly error: { readonly message: string } | null
}

async function statusOf(docket: SpawnedDocket, docId: string): Promise<Status> {
  const response = await fetch(`${docket.address}/get_document_status?collection_name=taken&id_value=${docId}`, {
    headers: { authorization: `Bearer ${keys.reader}` },
  })
  return ((await response.json()) as { readonly data: Status }).data
}

async function untilItEnds(docket: SpawnedDocket, docId: string): Promise<Status> {
  for (;;) {
    const status = await statusOf(docket, docId)
    if (status.state === 'ready' || status.state === 'failed') return status
    await pause(20)
  }
}

/** The converter delays its next response. @returns the number of requests so far */
function holdUp(): number {
  converter.respond = () => undefined
  return converter.requested
}

/**
 * Resolves when the converter has received this number of requests: a process works on one, with a lease that does not end during the test.
 */
async function untilItIsTaken(requested: number): Promise<void> {
  while (converter.requested < requested) await pause(10)
  await fresh.database.rows(sql`
    update docket_documents.load set leased_until = now() at time zone 'UTC' + interval '1 day' where leased_until is not null`)
}

async function kill(docket: SpawnedDocket): Promise<void> {
  docket.signal('SIGKILL')
  expect((await docket.exit).signal).toBe('SIGKILL')
}

describe('a load of a process that was killed', () => {
  test('is taken over by another one that runs, whatever its lease says', async () => {
    const requested = holdUp()
    const first = await start()
    await queue(first, 'orphan')
    await untilItIsTaken(requested + 1)
    const second = await start()
    converter.respond = respondWithPage('Taken over.')
    await kill(first)
    expect(await untilItEnds(second, 'orphan')).toMatchObject({ state: 'ready', attempts: 2, error: null })
    await second.stop()
  })

  test('is taken up by the next start', async () => {
    const requested = holdUp()
    const first = await start()
    await queue(first, 'restarted')
    await untilItIsTaken(requested + 1)
    await kill(first)
    converter.respond = respondWithPage('Taken up.')
    const second = await start()
    expect(await untilItEnds(second, 'restarted')).toMatchObject({ state: 'ready', attempts: 2, error: null })
    await second.stop()
  })

  test('that kills each process is given up after three', async () => {
    const requested = holdUp()
    let docket = await start()
    await queue(docket, 'killer')
    for (let attempt = 1; attempt <= 3; attempt++) {
      await untilItIsTaken(requested + attempt)
      await kill(docket)
      docket = await start()
    }
    expect(await untilItEnds(docket, 'killer')).toMatchObject({
      state: 'failed',
      attempts: 3,
      error: { message: expect.stringContaining('the process that loaded it ended, 3 times') },
    })
    await docket.stop()
  })
})

test('a load of a process that lives is not taken from it', async () => {
  const requested = holdUp()
  const first = await start()
  await queue(first, 'own')
  await untilItIsTaken(requested + 1)
  const second = await start()
  // The other process polls for loads; a load that is requested now proves it.
  converter.respond = respondWithPage('Of the second.')
  await queue(second, 'other')
  expect(await untilItEnds(second, 'other')).toMatchObject({ state: 'ready', attempts: 1 })
  expect(await statusOf(second, 'own')).toMatchObject({ state: 'extracting', attempts: 1 })
  await first.stop()
  // When it stopped, it put the load back, which does not count as an attempt.
  expect(await untilItEnds(second, 'own')).toMatchObject({ state: 'ready', attempts: 1 })
  await second.stop()
})

test('a process whose connection breaks is still at work: it says so again, and no load is lost', async () => {
  converter.respond = respondWithPage('Anyhow.')
  const docket = await start()
  const workers = () =>
    fresh.database.rows(sql<{ pid: number }>`
      select a.pid from pg_stat_activity a join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' and l.classid = 7236500
      where a.datname = current_database()`)
  const [before] = await workers()
  await fresh.database.rows(sql`select pg_terminate_backend(${before?.pid ?? 0})`)
  await queue(docket, 'anyhow')
  expect(await untilItEnds(docket, 'anyhow')).toMatchObject({ state: 'ready' })
  await expect
    .poll(async () => (await workers()).map(({ pid }) => pid !== before?.pid), { timeout: 60_000 })
    .toEqual([true])
  await docket.stop()
})

test('vectors that a killed process was making are made by the next', async () => {
  const environment = { DOCKET_EMBEDDINGS_URL: model.embeddingsUrl, DOCKET_EMBEDDINGS_MODEL: 'stand-in' }
  converter.respond = respondWithPage('The router.')
  let isRequested = false
  model.embeddings = () => {
    isRequested = true
  }
  const first = await start(environment)
  await queue(first, 'vectors')
  await untilItEnds(first, 'vectors')
  while (!isRequested) await pause(10)
  await fresh.database.rows(sql`
    update docket_documents.document_embedding set leased_until = now() at time zone 'UTC' + interval '1 day'
    where leased_until is not null`)
  await kill(first)
  model.embeddings = embedByMeaning()
  const second = await start(environment)
  const due = () => fresh.database.rows(sql`select from docket_documents.document_embedding where position is null`)
  await expect.poll(due, { timeout: 60_000 }).toEqual([])
  await second.stop()
})
