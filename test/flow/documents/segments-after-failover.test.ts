import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/database/database.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { addCopies } from '../../harness/document-copies.ts'
import { admin } from '../../harness/fresh-database.ts'
import { postgres15IsInstalled, startPostgresPair } from '../../harness/postgres-pair.ts'
import { requestData } from '../../harness/request-data.ts'
import { objectStoreSettings, startS3 } from '../../harness/s3-stand-in.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../../harness/spawn-docket.ts'

// A standby that has an earlier manifest becomes the primary; the object store has the segments of the lost one too.

/** More than a manifest needs, and a table of LanceDB. */
const manyDocuments = 1_200

const engines = [
  { engine: 'the built-in engine', settings: {}, hasTables: false },
  {
    engine: 'tables of LanceDB',
    settings: {
      DOCKET_SEARCH: 'lancedb',
      DOCKET_LANCEDB_MIN_CHUNKS: '1000',
      DOCKET_LANCEDB_PACKAGES: resolve('test/lancedb'),
    },
    hasTables: true,
  },
]

describe.runIf(postgres15IsInstalled)('after a failover to a standby that lacked the last commits', () => {
  test.each(engines)(
    'a new server fetches nothing of another history, and finds what is there: $engine (issue 14, 2 and 5)',
    async ({ settings, hasTables }) => {
      await using ended = new AsyncDisposableStack()
      const s3 = await startS3()
      ended.defer(() => s3.close())
      const pair = await startPostgresPair()
      ended.defer(() => pair.stop())
      const start = async (dataDir: string): Promise<SpawnedDocket> => {
        const docket = await spawnDocket({
          DOCKET_DATABASE_URL: pair.url,
          DOCKET_DATA_DIR: dataDir,
          DOCKET_ADMIN_PASSWORD: admin.password,
          ...objectStoreSettings(s3),
          ...settings,
        })
        ended.defer(async () => void (await docket.stop()))
        return docket
      }
      const onDatabase = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
        const database = openDatabase({ connectionString: pair.url, maxConnections: 1, statementTimeoutMs: 60_000 })
        return work(database).finally(() => database.close())
      }
      const tables = async (): Promise<readonly string[]> => {
        const rows = await onDatabase((session) =>
          session.rows(sql<{ table_name: string }>`
          select table_name from docket_documents.segment where table_name is not null order by table_name`),
        )
        return rows.map(({ table_name }) => table_name)
      }
      /** Until the manifest is a later one, and with LanceDB names so many tables. */
      const untilWritten = async (after: number, count: number): Promise<number> => {
        for (;;) {
          const [row] = await onDatabase((session) =>
            session.rows(sql<{ position: string }>`select position from docket_documents.segment_manifest`),
          )
          const isComplete = !hasTables || (await tables()).length >= count
          if (Number(row?.position ?? 0) > after && isComplete) return Number(row?.position)
          await pause(50)
        }
      }
      /** Meanwhile no server writes segments: each waits for the lease. */
      const withoutWriter = <T>(work: () => Promise<T>): Promise<T> =>
        onDatabase((session) =>
          session.inTransaction(async (holding) => {
            await holding.rows(sql`select from docket_documents.segment_writer for update`)
            return work()
          }),
        )
      const gets = () => s3.requested.filter((line) => line.startsWith('GET'))
      /** Of files, whose names are hashes: segments, and no tables. */
      const fetchedFiles = () => gets().filter((line) => /\/[0-9a-f]{64}$/.test(line)).length
      const tableReads = () => gets().filter((line) => line.includes('/lancedb/chunks_')).length

      const folder = temporaryFolder()
      const loading = await start(folder)
      await requestData(loading, 'POST', '/load_text_to_collection?collection_name=kb', {
        metadata: { doc_id: 'kept' },
        text: 'toner of a document that is kept',
      })
      await loading.stop()
      await onDatabase((session) => addCopies(session, 'kb', manyDocuments, 'kept'))
      const early = await start(folder)
      const keptPosition = await untilWritten(0, 1)
      await early.stop()
      await pair.standbyHasAll()
      await pair.cutReplication()
      await onDatabase((session) => addCopies(session, 'kb', manyDocuments, 'gone'))
      const late = await start(folder)
      const lostPosition = await untilWritten(keptPosition, 2)
      await late.stop()
      const lostTables = await tables()
      const running = await start(temporaryFolder())
      // Of equal scores what is lost is first, and is almost the whole response.
      expect(namesIn(await find(running))).toEqual(new Set(['kept', 'gone']))
      const fetched = fetchedFiles()
      await pair.failOver()

      const found = await withoutWriter(async () => {
        const response = await untilFound(running)
        expect([response.length, namesIn(response)]).toEqual([1_000, new Set(['kept'])])
        await running.stop()
        const first = await start(temporaryFolder())
        expect(fetchedFiles()).toBe(fetched)
        expect(await find(first)).toEqual(response)
        return response
      })
      await untilWritten(lostPosition, 1)
      for (const table of await tables()) expect(lostTables).not.toContain(table)
      const second = await start(temporaryFolder())
      expect(fetchedFiles()).toBeGreaterThan(fetched)
      const read = tableReads()
      expect(await find(second)).toEqual(found)
      expect(tableReads() > read).toBe(hasTables)
      // The index that was saved with what is lost.
      const third = await start(folder)
      expect(await find(third)).toEqual(found)
    },
    300_000,
  )
})

type Found = readonly { readonly doc_id: string }[]

const find = async (docket: SpawnedDocket) =>
  (await requestData(docket, 'GET', '/get_relevant_documents?collection_names=kb&k=1000&query=toner')) as Found

const namesIn = (found: Found) => new Set(found.map(({ doc_id }) => doc_id.split('-')[0]))

/** The connections of a server that runs during a failover are gone. Until they are open again, it rejects searches. */
async function untilFound(docket: SpawnedDocket): Promise<Found> {
  for (;;) {
    const found = await find(docket).catch(() => null)
    if (found !== null) return found
    await pause(50)
  }
}
