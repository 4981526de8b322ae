import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LOCK_SPACES } from '../../database/advisory-locks.ts'
import type { Session } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'
import type { S3Options } from './s3-blob-store.ts'

export interface FileStorePlaces {
  /** null: files are stored in the folders. */
  readonly objectStore: Pick<S3Options, 'endpoint' | 'bucket' | 'prefix'> | null
  /** Folders of documents' files and of attachments; each may be a mount point. */
  readonly folders: readonly string[]
}

/** Identifies the store of files: equal only for servers that share it. Does not reveal where it is. */
export async function fileStoreIdentity({ objectStore, folders }: FileStorePlaces): Promise<string> {
  const parts =
    objectStore === null
      ? await Promise.all(folders.map(markerIn))
      : [objectStore.endpoint, objectStore.bucket, objectStore.prefix]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** A folder is identified by a file in it, so that the identity does not depend on the mount point. */
async function markerIn(folder: string): Promise<string> {
  const file = join(folder, 'store-id')
  await mkdir(folder, { recursive: true })
  // Two servers may start at the same time: the first one writes it.
  await writeFile(file, randomUUID(), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return readFile(file, 'utf8')
}

/** The file stores of the processes that serve one database. */
export interface FileStores {
  /** Whether another live process uses another store, so that each lacks files that the other received. */
  areSeveral(): Promise<boolean>
  close(): Promise<void>
}

/** Records which store this process uses, until `close` or until the process ends. */
export async function recordFileStore(session: Session, worker: number, identity: string): Promise<FileStores> {
  await session.rows(sql`delete from docket_documents.file_store_use u where not ${isLive}`)
  await session.rows(sql`
    insert into docket_documents.file_store_use (worker, file_store) values (${worker}, ${identity})
    on conflict (worker) do update set file_store = excluded.file_store`)
  return {
    async areSeveral() {
      const others = await session.rows(sql`
        select from docket_documents.file_store_use u where u.file_store <> ${identity} and ${isLive} limit 1`)
      return others.length > 0
    },
    async close() {
      await session.rows(sql`delete from docket_documents.file_store_use where worker = ${worker}`)
    },
  }
}

/** The number of different file stores that the running servers of this database use. */
export async function countFileStores(session: Session): Promise<number> {
  const [row] = await session.rows(sql<{ stores: string }>`
    select count(distinct u.file_store) as stores from docket_documents.file_store_use u where ${isLive}`)
  return Number(row?.stores ?? 0)
}

/** PostgreSQL releases the lock when the process ends (worker-number.ts). */
const isLive = sql<boolean>`
  exists (select from pg_locks l where l.locktype = 'advisory' and l.granted and l.classid = ${LOCK_SPACES.workers}::oid
    and l.objid = u.worker::oid and l.database = (select oid from pg_database where datname = current_database()))`
