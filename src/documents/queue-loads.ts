import type { Principal } from '../identity/principal.ts'
import type { Worker } from '../jobs/worker-number.ts'
import { startLoop } from '../kernel/loop.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { orUnavailable } from '../kernel/upstream-error.ts'
import type { DocumentDeps } from './document-deps.ts'
import { collectionToLoadInto, LostLoad, placeDocument } from './load-document.ts'
import { identifyUpload } from './load-identity.ts'
import { whyNotLoad } from './rights/may-load.ts'
import { MissingFile, type ReceivedFile } from './store/blob-store.ts'
import { keepBlob } from './store/blobs.ts'
import { type Collection, readCollections } from './store/collections.ts'
import {
  addLoad,
  failLostLoads,
  finishLoad,
  holdsLoad,
  type LoadProgress,
  leaseSeconds,
  maxAttempts,
  postponeLoad,
  readUnfinished,
  renewLoad,
  returnLoad,
  type TakenLoad,
  takeLoad,
} from './store/loads.ts'
import { contentHashOf, type FileSent, readFileUpload, recordIdOf } from './upload/read-upload.ts'

/** A queued load: its file and its row are durable. */
export interface Queued {
  readonly docId: string
  readonly collectionName: string
}

export async function queueFile(
  deps: DocumentDeps,
  principal: Principal,
  sent: Omit<FileSent, 'hash' | 'size'>,
  file: ReceivedFile,
): Promise<Result<Queued, Problem>> {
  const read = readFileUpload({ ...sent, hash: file.hash, size: file.size })
  if (!read.ok) return read
  const { collectionName } = read.value
  const collection = await collectionToLoadInto(deps, principal, collectionName)
  if (!collection.ok) return collection
  const upload = await identifyUpload(deps, principal, collection.value, read.value)
  if (!upload.ok) return upload
  const { docId, metadata, fileName, charset, replaces } = upload.value
  const closed = await whyNotLoad(deps, principal, collection.value, { docId, recordId: recordIdOf(metadata) })
  if (closed !== null) return fail(closed)
  const requestedAt = new Date(deps.clock.nowMs())
  const kept = await orUnavailable(async () => {
    await keepBlob(deps.database, deps.blobs, file, requestedAt)
    return succeed(null)
  }, deps.onError)
  if (!kept.ok) return kept
  await addLoad(deps.database, {
    collectionId: collection.value.id,
    docId,
    recordId: recordIdOf(metadata),
    blobHash: file.hash,
    size: file.size,
    fileName,
    charset,
    metadata,
    replaces,
    requestedBy: principal.userId,
    requestedAt,
  })
  return succeed({ docId, collectionName })
}

export interface LoadWorker {
  notify(): void
  /**
   * Takes no new load; running ones are put back when the extractor closes. Resolves when nothing runs in this process
   * any more.
   */
  close(): Promise<void>
}

/** Concurrent loads of this process: each uses a processor for extraction. */
const loadsAtOnce = 2
/** Nothing notifies about dead processes and elapsed pauses, so the worker polls. */
const lookEveryMs = 1_000
const renewEveryMs = (leaseSeconds * 1_000) / 3

/** Does the queued loads of this and every other process. */
export function startLoadWorker(
  deps: DocumentDeps,
  worker: Pick<Worker, 'number'>,
  onError: (error: unknown) => void,
): LoadWorker {
  /** Loads whose file another server stores, without a shared store: that server does them. */
  const otherWorkers = new Set<number>()

  /** Each search for a load sends the others, so those that are done must not stay. */
  const forgetFinished = async (): Promise<void> => {
    if (otherWorkers.size === 0) return
    const known = [...otherWorkers]
    const unfinished = await readUnfinished(deps.database, known)
    for (const id of known) if (!unfinished.has(id)) otherWorkers.delete(id)
  }

  const workOff = async (stopping: AbortSignal): Promise<void> => {
    while (!stopping.aborted) {
      const load = await takeLoad(deps.database, worker.number(), [...otherWorkers])
      if (load === undefined) return
      notify()
      await doLoad(deps, load, { onError, isClosing: () => stopping.aborted, otherWorkers })
    }
  }
  const loops = Array.from({ length: loadsAtOnce }, () => startLoop({ turn: workOff, onError }))
  const notify = (): void => {
    for (const loop of loops) loop.notify()
  }
  const looking = startLoop({
    async turn() {
      notify()
      await failLostLoads(deps.database, {
        kind: 'unreadable-document',
        stage: 'extract',
        cause: 'crashed',
        detail: lostDetail,
      })
      await forgetFinished()
    },
    everyMs: lookEveryMs,
    onError,
  })
  notify()
  return {
    notify,
    async close() {
      await Promise.all([looking, ...loops].map((loop) => loop.stop()))
    },
  }
}

const lostDetail = `the process that loaded it ended, ${maxAttempts} times`

interface WorkerState {
  readonly onError: (error: unknown) => void
  readonly isClosing: () => boolean
  readonly otherWorkers: Set<number>
}

/** Does one load to its end. Errors in the file are final; our own errors are retried. */
async function doLoad(deps: DocumentDeps, load: TakenLoad, worker: WorkerState): Promise<void> {
  const { onError } = worker
  let progress: LoadProgress = { state: 'extracting', percent: 0, pagesDone: null }
  const renewing = startLoop({
    turn: async () => void (await renewLoad(deps.database, load, progress)),
    everyMs: renewEveryMs,
    onError,
  })
  try {
    const problem = await runLoad(deps, load, (reached) => {
      progress = reached
      renewing.notify()
    })
    await finishLoad(deps.database, load, problem)
  } catch (error) {
    if (error instanceof LostLoad) return
    if (worker.isClosing()) return await returnLoad(deps.database, load).catch(onError)
    if (error instanceof MissingFile && (await deps.fileStores.areSeveral().catch(() => false))) {
      worker.otherWorkers.add(load.id)
      return await returnLoad(deps.database, load).catch(onError)
    }
    onError(error)
    if (load.attempts < maxAttempts) await postponeLoad(deps.database, load).catch(onError)
    else await finishLoad(deps.database, load, givenUp).catch(onError)
  } finally {
    await renewing.stop()
  }
}

const givenUp: Problem = {
  kind: 'unavailable',
  detail: 'The server failed to load the document; its log says why',
  retryAfterSeconds: 60,
}

/** @returns the error in the file, or null when its document is stored */
async function runLoad(
  deps: DocumentDeps,
  load: TakenLoad,
  onProgress: (progress: LoadProgress) => void,
): Promise<Problem | null> {
  const collection = await collectionOf(deps, load)
  if (collection === undefined) return { kind: 'thing-not-found', thing: 'collection', name: load.collectionName }
  const { blobHash, size, docId, fileName, charset, metadata, replaces } = load
  const file = await deps.blobs.fetch(blobHash)
  try {
    const extracted = await deps.extractor.extract(
      { path: file.path, fileName: fileName ?? '', ...(charset === null ? {} : { charset }) },
      (done, of) =>
        onProgress({ state: 'extracting', percent: Math.floor((done / Math.max(of, 1)) * 80), pagesDone: done }),
    )
    if (!extracted.ok) return extracted.error
    onProgress({ state: 'indexing', percent: 80, pagesDone: extracted.value.pages ?? null })
    const placed = await placeDocument(deps, {
      upload: {
        collectionName: load.collectionName,
        docId,
        metadata,
        contentHash: contentHashOf(blobHash, charset),
        size,
        fileName,
        fileHash: blobHash,
        charset,
        vector: null,
        replaces,
      },
      collection,
      source: { kind: 'extracted', extracted: extracted.value },
      by: load.requestedBy,
      first: async (session) => {
        if (!(await holdsLoad(session, load))) throw new LostLoad()
      },
    })
    if (!placed.ok) return placed.error
    // The collection was deleted after the load was requested.
    return placed.value === 'collection-gone' || placed.value === 'unfit-vector'
      ? { kind: 'thing-not-found', thing: 'collection', name: load.collectionName }
      : null
  } finally {
    await file.release()
  }
}

async function collectionOf(deps: DocumentDeps, load: TakenLoad): Promise<Collection | undefined> {
  const { collections } = await readCollections(deps.database, [load.collectionName], 'also-awaited')
  return collections.find(({ id }) => id === load.collectionId)
}
