import { type AttachmentStore, keepFiles } from '../attachments/keep-files.ts'
import type { Database, Session } from '../database/database.ts'
import { fillCollections } from '../documents/fill-collections.ts'
import { fillFollowedCollection } from '../follow/fill-followed-collection.ts'
import { administratorId } from '../identity/administrator.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import { UpstreamError } from '../kernel/upstream-error.ts'
import { demoCollections } from './demo-collections.ts'
import { openIncidents, readOpenIncidents } from './demo-follow.ts'
import { recordDemoCollections } from './demo-record.ts'
import { fillWithDemoData } from './load-demo-data.ts'

export interface DemoDesk {
  /** Outside of the transaction: records the files, so that cleanup finds the files of a failed start. */
  readonly database: Database
  /** The store for files of records. */
  readonly store: AttachmentStore
  /** End of the desk's 90 days; milliseconds since 1970. */
  readonly nowMs: number
}

/**
 * Creates the whole demo desk: records with their journals, history and files, collections of documents, and one that follows a
 * table. Runs in the caller's transaction; does nothing to a database that is in use.
 */
export async function fillDemoDesk(session: Session, { database, store, nowMs }: DemoDesk): Promise<void> {
  const now = new Date(nowMs)
  const { outcome } = await fillWithDemoData(session, {
    nowMs,
    keepFiles: (files) => keepFiles(database, store, files, now).catch(throwStoreFailure),
  })
  if (outcome !== 'loaded') return
  const by = { by: administratorId, now }
  const collections = demoCollections()
  await fillCollections(session, collections, by)
  await fillFollowedCollection(session, openIncidents, await readOpenIncidents(session), by)
  await recordDemoCollections(session, [...collections.map(({ name }) => name), openIncidents.name])
}

/** A missing object store would reject every upload, too. */
function throwStoreFailure(error: unknown): never {
  if (!(error instanceof UpstreamError)) throw error
  const sentence = `The files of the demo desk cannot be stored, ${error.message}: repair the object store (DOCKET_S3_ENDPOINT and related settings), or start with DOCKET_DEMO=off.`
  throw new StartFailure(sentence, { cause: error })
}
