import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeVectors } from '../../../bench/search/draw-vectors.ts'
import { fillVectors } from '../../../bench/search/fill-vectors.ts'
import { vectorClient } from '../../../bench/search/vector-client.ts'
import { makeCallers } from '../../contract/documents/stage.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../../harness/spawn-docket.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

test('servers that are killed while they write a table of vectors, or while they search, leave the next one right (issue 14, 5)', async () => {
  const { admin } = await makeCallers(fresh)
  const draw = makeVectors(64)
  await fillVectors(fresh.database, { count: 3_000, length: 64, draw, areReturned: false })
  const dataDir = temporaryFolder()
  const start = (vectors: string) =>
    spawnDocket({
      DOCKET_DATABASE_URL: fresh.connectionString,
      DOCKET_DATA_DIR: dataDir,
      DOCKET_VECTORS: vectors,
      DOCKET_LANCEDB_PACKAGES: resolve('test/lancedb'),
    })
  const clientOf = ({ address }: SpawnedDocket) => vectorClient(address, admin, 'vectors')
  const queries = Array.from({ length: 3 }, draw)
  const find = async (docket: SpawnedDocket) => {
    const client = clientOf(docket)
    await client.whenReady(draw())
    return Promise.all(queries.map((query) => client.search(query, 10)))
  }
  const kill = async (docket: SpawnedDocket): Promise<void> => {
    docket.signal('SIGKILL')
    await docket.exit
  }
  const builtIn = await start('built-in-exact')
  const expected = await find(builtIn)
  await builtIn.stop()

  const written = (): readonly string[] => {
    try {
      return readdirSync(join(dataDir, 'lancedb')).filter((name) => name.startsWith('vectors_'))
    } catch {
      return []
    }
  }
  const writing = await start('lancedb')
  // The first search that needs given vectors opens them. Whether the table is in the list by then is left open: both have to be right.
  const opening = clientOf(writing)
    .search(draw(), 1)
    .catch(() => [])
  while (written().length === 0) await pause(5)
  await kill(writing)
  await opening

  const second = await start('lancedb')
  expect(await find(second)).toEqual(expected)
  await clientOf(second).load('new', queries[0] as Float32Array)
  const searching = find(second).catch(() => undefined)
  await kill(second)
  await searching

  const third = await start('lancedb')
  const [[first] = []] = await find(third)
  expect(first).toMatchObject({ docId: 'new' })
  await clientOf(third).delete('new')
  expect(await find(third)).toEqual(expected)
  expect(third.log()).not.toMatch(/"level":"(error|warn)"/)
  await third.stop()
})
