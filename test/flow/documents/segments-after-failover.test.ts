import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openDatabase, type Session } from '../../../src/database/database.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { addCopies } from '../../harness/document-copies.ts'
import { admin } from '../../harness/fresh-database.ts'
import { postgres15IsInstalled, startPostgresPair } from '../../harness/postgres-pair.ts'
import { requestData } from '../../harness/request-data.ts'
import { objectStoreSettings, startS3 } from '../../harness/s3-stand-in.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../../harness/spawn-docket.ts'

// A standby that has an earlier manifest becomes the primary; the object store has the segments of the lost one too.

/** More than a manifest needs. */
const manyDocuments = 1_200

describe.runIf(postgres15IsInstalled)('after a failover to a standby that lacked the last commits', () => {
  test('a new server fetches nothing of another history, and finds what is there (issue 14, 2)', async () => {
    await using ended = new AsyncDisposableStack()
    const s3 = await startS3()
    ended.defer(() => s3.close())
    const pair = await startPostgresPair()
    ended.defer(() => pair.stop())
    const start = (dataDir: string): Promise<SpawnedDocket> =>
      spawnDocket({
        DOCKET_DATABASE_URL: pair.url,
        DOCKET_DATA_DIR: dataDir,
        DOCKET_ADMIN_PASSWORD: admin.password,
        ...objectStoreSettings(s3),
      })
    const onDatabase = async <T>(work: (session: Session) => Promise<T>): Promise<T> => {
      const database = openDatabase({ connectionString: pair.url, maxConnections: 1, statementTimeoutMs: 60_000 })
      return work(database).finally(() => database.close())
    }
    const untilWritten = async (after: number): Promise<number> => {
      for (;;) {
        const [row] = await onDatabase((session) =>
          session.rows(sql<{ position: string }>`select position from docket_documents.segment_manifest`),
        )
        if (Number(row?.position ?? 0) > after) return Number(row?.position)
        await pause(50)
      }
    }
    const gets = () => s3.requested.filter((line) => line.startsWith('GET')).length

    const folder = temporaryFolder()
    const loading = await start(folder)
    await requestData(loading, 'POST', '/load_text_to_collection?collection_name=kb', {
      metadata: { doc_id: 'kept' },
      text: 'toner of a document that is kept',
    })
    await loading.stop()
    await onDatabase((session) => addCopies(session, 'kb', manyDocuments, 'kept'))
    const early = await start(folder)
    const keptPosition = await untilWritten(0)
    await early.stop()
    await pair.standbyHasAll()
    await pair.cutReplication()
    await onDatabase((session) => addCopies(session, 'kb', manyDocuments, 'lost'))
    const late = await start(folder)
    const lostPosition = await untilWritten(keptPosition)
    await late.stop()
    await pair.failOver()

    const first = await start(temporaryFolder())
    expect(gets()).toBe(0)
    const found = await find(first)
    expect(new Set(found.map(({ doc_id }) => doc_id.split('-')[0]))).toEqual(new Set(['kept']))
    await untilWritten(lostPosition)
    const second = await start(temporaryFolder())
    expect(gets()).toBeGreaterThan(0)
    expect(await find(second)).toEqual(found)
    // The index that was saved with what is lost.
    const third = await start(folder)
    expect(await find(third)).toEqual(found)
    for (const docket of [first, second, third]) await docket.stop()
  }, 300_000)
})

const find = async (docket: SpawnedDocket) =>
  (await requestData(docket, 'GET', '/get_relevant_documents?collection_names=kb&k=1000&query=toner')) as readonly {
    readonly doc_id: string
  }[]
