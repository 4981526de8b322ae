import type { Worker } from '../../jobs/worker-number.ts'
import { startLoop } from '../../kernel/loop.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import type { DocumentDeps } from '../document-deps.ts'
import { newDocument, sizesOf } from '../load-document.ts'
import { readText } from '../read-content.ts'
import { nextDocumentId } from '../store/find-document.ts'
import { replaceChunks } from '../store/publish-document.ts'
import type { TextToIndex } from '../sync/index-texts.ts'
import {
  type DueCollection,
  finishCollection,
  forgetDocument,
  leaseSeconds,
  postponeDocument,
  readDueCollections,
  renewDocument,
  returnDocument,
  type TakenDocument,
  takeDocument,
} from './due-for-rechunk.ts'
import { chunkerVersion, splitSignature } from './split-signature.ts'

/** Splits documents again after their collection's sizes changed, in the background, in every process. */
export interface Rechunker {
  /** Checks for such documents now. */
  notify(): void
  /** Takes no other document; resolves when the current one has ended. Close the extractor first. */
  close(): Promise<void>
}

/** Nothing notifies about changes of other processes and documents of dead ones, so this polls. */
const lookEveryMs = 1_000
const renewEveryMs = (leaseSeconds * 1_000) / 3

export function startRechunker(
  deps: DocumentDeps,
  worker: Pick<Worker, 'number'>,
  onError: (error: unknown) => void,
): Rechunker {
  const loop = startLoop({
    turn: (stopping) => rechunkAll(deps, { worker, onError, isClosing: () => stopping.aborted }),
    everyMs: lookEveryMs,
    onError,
  })
  return { notify: loop.notify, close: loop.stop }
}

interface RechunkerState {
  readonly worker: Pick<Worker, 'number'>
  readonly onError: (error: unknown) => void
  readonly isClosing: () => boolean
}

async function rechunkAll(deps: DocumentDeps, state: RechunkerState): Promise<void> {
  for (const collection of await readDueCollections(deps.database, chunkerVersion)) {
    const signature = splitSignature(sizesOf(collection))
    for (;;) {
      if (state.isClosing()) return
      const taken = await takeDocument(deps.database, collection.id, signature, state.worker.number())
      if (taken === undefined) break
      await rechunkOne(deps, collection, taken, state)
    }
    await deps.database.inTransaction((session) => finishCollection(session, collection, signature, chunkerVersion))
  }
}

async function rechunkOne(
  deps: DocumentDeps,
  collection: DueCollection,
  taken: TakenDocument,
  { onError, isClosing }: RechunkerState,
): Promise<void> {
  const { database } = deps
  const renewing = startLoop({ turn: () => renewDocument(database, taken), everyMs: renewEveryMs, onError })
  try {
    const problem = await cutAgain(deps, collection, taken)
    if (problem === null) await forgetDocument(database, taken)
    else await postponeDocument(database, taken, JSON.stringify(problem))
  } catch (error) {
    if (isClosing()) return await returnDocument(database, taken)
    onError(error)
    await postponeDocument(database, taken, error instanceof Error ? error.message : String(error))
  } finally {
    await renewing.stop()
  }
}

/** @returns why it cannot be split again; null: it was split, or it was replaced or deleted meanwhile */
async function cutAgain(deps: DocumentDeps, collection: DueCollection, taken: TakenDocument): Promise<Problem | null> {
  const source = await sourceOf(deps, taken)
  if (!source.ok) return source.error
  const id = await nextDocumentId(deps.database)
  const { docId, metadata, title, fileName, size, contentHash, fileHash, charset, loadedBy: by, loadedAt } = taken
  const sizes = sizesOf(collection)
  const prepared = await deps.index.prepare({ id, docId, source: source.value, title, fallbackTitle: null, sizes })
  if (!prepared.ok) return prepared.error
  const upload = {
    ...{ collectionName: collection.name, docId, metadata, contentHash, size, fileName, fileHash, charset },
    replaces: [],
    vector: null,
  }
  const flags = source.value.kind === 'sent' ? taken.flags : prepared.value.flags
  const about = { id, upload, collection, by, loadedAt }
  const isDone = await deps.database.inTransaction((session) =>
    replaceChunks(session, newDocument({ ...prepared.value, flags }, about), taken.id),
  )
  if (isDone) deps.index.offer(id, prepared.value)
  await deps.index.refresh()
  for (const model of deps.models.values()) model.notify()
  return null
}

/** An earlier version did not record the encoding that the caller had named. */
function isReadDifferently({ charset, contentHash, fileHash }: TakenDocument): boolean {
  return charset === null && fileHash !== null && !contentHash.equals(fileHash)
}

/** A file is read again: only it has its headings, pages and tables. A text is joined from its chunks. */
async function sourceOf(deps: DocumentDeps, taken: TakenDocument): Promise<Result<TextToIndex['source'], Problem>> {
  if (taken.fileHash === null || isReadDifferently(taken)) {
    let text = ''
    for await (const piece of readText(deps.database, taken)) text += piece
    return succeed({ kind: 'sent', text, limits: deps.extractionLimits })
  }
  const file = await deps.blobs.fetch(taken.fileHash)
  try {
    const { charset } = taken
    const extracted = await deps.extractor.extract({
      path: file.path,
      fileName: taken.fileName ?? '',
      ...(charset === null ? {} : { charset }),
    })
    return extracted.ok ? succeed({ kind: 'extracted', extracted: extracted.value }) : extracted
  } finally {
    await file.release()
  }
}
