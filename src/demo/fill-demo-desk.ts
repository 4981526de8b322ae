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
  /** Beside the transaction: names the files, so that a start that fails leaves nothing that is not cleared away. */
  readonly database: Database
  /** Where files of records lie. */
  readonly store: AttachmentStore
  /** The desk's last 90 days end here; milliseconds since 1970. */
  readonly nowMs: number
}

/**
 * The demo desk with all that belongs to it: records with their journals, history and files, collections of documents, and
 * one that follows a table. In the caller's transaction; does nothing to a database that is in use.
 */
export async function fillDemoDesk(session: Session, { database, store, nowMs }: DemoDesk): Promise<void> {
  const now = new Date(nowMs)
  const { outcome } = await fillWithDemoData(session, {
    nowMs,
    keepFiles: (files) => keepFiles(database, store, files, now).catch(tellOfStore),
  })
  if (outcome !== 'loaded') return
  const by = { by: administratorId, now }
  const collections = demoCollections()
  await fillCollections(session, collections, by)
  await fillFollowedCollection(session, openIncidents, await readOpenIncidents(session), by)
  await recordDemoCollections(session, [...collections.map(({ name }) => name), openIncidents.name])
}

/** An object store that is not there would refuse every upload too. */
function tellOfStore(error: unknown): never {
  if (!(error instanceof UpstreamError)) throw error
  const sentence = `The files of the demo desk cannot be kept, ${error.message}: mend it (DOCKET_S3_ENDPOINT and its neighbours), or start with DOCKET_DEMO=off.`
  throw new StartFailure(sentence, { cause: error })
}
