import { isDeepStrictEqual } from 'node:util'
import type { Session } from '../database/database.ts'
import { keepGivenVector } from '../embeddings/store/write-vectors.ts'
import { hasWords } from '../extraction/expected-text.ts'
import { unreadable } from '../extraction/rejection.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { orUnavailable } from '../kernel/upstream-error.ts'
import { type ChunkSizes, defaultChunkSizes } from './chunk/chunk-text.ts'
import type { SplitText } from './chunk/prepare-text.ts'
import type { DocumentDeps } from './document-deps.ts'
import { filterValuesOf } from './filter/filter-values.ts'
import { identifyUpload } from './load-identity.ts'
import { splitSignature } from './rechunk/split-signature.ts'
import { collectionNotFound, mayRead, mayWrite, writerRole, writingNeeds } from './rights/collection-access.ts'
import { whyNotLoad } from './rights/may-load.ts'
import { isBound } from './rights/visible-documents.ts'
import type { ReceivedFile } from './store/blob-store.ts'
import { keepBlob } from './store/blobs.ts'
import { awaitCollection, type Collection, callerModel, readCollections, recordLanguage } from './store/collections.ts'
import { findDocument, nextDocumentId, type StoredDocument } from './store/find-document.ts'
import { endEarlierLoads } from './store/loads.ts'
import {
  isOneStatement,
  type NewDocument,
  type Published,
  publishDocument,
  vectorHash,
} from './store/publish-document.ts'
import type { TextToIndex } from './sync/index-texts.ts'
import {
  type FileSent,
  type FileUpload,
  readFileUpload,
  readTextUpload,
  recordIdOf,
  type TextSent,
  type Upload,
} from './upload/read-upload.ts'
import { warningsOf } from './warnings.ts'

/** The response to a load (docs/spec/documents.md, section 2). */
export interface Loaded {
  readonly docId: string
  readonly collectionName: string
  readonly result: 'created' | 'replaced' | 'unchanged'
  readonly version: number
  /** Sequence number of the change log: a search with this `min_sequence` finds the document. */
  readonly sequence: number
  readonly chunks: number
  /** UTF-16 units of the extracted text. */
  readonly characters: number
  readonly pages: number | null
  readonly mediaType: string
  readonly language: string | null
  /** What may be lost or misread in the text. */
  readonly warnings: readonly string[]
}

type Loading = Promise<Result<Loaded, Problem>>

/**
 * Loads a text into a collection, and creates the collection if it does not exist. When this succeeds, the document is
 * durable and every search of every process finds it.
 */
export async function loadText(deps: DocumentDeps, principal: Principal, sent: TextSent, only: OnlyInto = {}): Loading {
  const upload = readTextUpload(sent)
  if (!upload.ok) return upload
  const { text } = upload.value
  if (!sent.mayBeEmpty && !hasWords(text))
    return fail(unreadable('no-text', 'it contains no letter and no digit').problem)
  const readSource: ReadSource = async () => succeed({ kind: 'sent', text, limits: deps.extractionLimits })
  return loadOnce(deps, principal, upload.value, { ...only, readSource })
}

/** The same for a file: its text is extracted in a separate process and its bytes are stored. */
export async function loadFile(
  deps: DocumentDeps,
  principal: Principal,
  sent: Omit<FileSent, 'hash' | 'size'>,
  file: ReceivedFile,
): Loading {
  const upload = readFileUpload({ ...sent, hash: file.hash, size: file.size })
  if (!upload.ok) return upload
  const readSource: ReadSource = async () => {
    const extracted = await deps.extractor.extract({
      path: file.path,
      fileName: upload.value.fileName ?? '',
      ...(upload.value.charset === null ? {} : { charset: upload.value.charset }),
    })
    if (!extracted.ok) return extracted
    await keepBlob(deps.database, deps.blobs, file, now(deps))
    return succeed({ kind: 'extracted', extracted: extracted.value })
  }
  return orUnavailable(() => loadOnce(deps, principal, upload.value, { readSource }), deps.onError)
}

/** Reads the text; called only if the content is not stored yet. */
type ReadSource = () => Promise<Result<TextToIndex['source'], Problem>>

/** A load that follows earlier ones: if this collection was deleted, another of the same name must not get its documents. */
interface OnlyInto {
  /** Absent: any collection of the name. */
  readonly collectionId?: number
}

async function loadOnce(
  deps: DocumentDeps,
  principal: Principal,
  sent: Upload | FileUpload,
  { readSource, ...only }: OnlyInto & { readonly readSource: ReadSource },
): Loading {
  const collection = await collectionToLoadInto(deps, principal, sent.collectionName, only)
  if (!collection.ok) return collection
  const identified = await identifyUpload(deps, principal, collection.value, sent)
  if (!identified.ok) return identified
  const upload = identified.value
  const unfit = whyNotVector(deps, collection.value, upload)
  if (unfit !== null) return fail(unfit)
  const { docId, metadata } = upload
  const closed = await whyNotLoad(deps, principal, collection.value, { docId, recordId: recordIdOf(metadata) })
  if (closed !== null) return fail(closed)
  const collectionId = collection.value.id
  const { current: before, nextId, newestLoad } = await findDocument(deps.database, collectionId, docId)
  const earlier = newestLoad === null ? null : { collectionId, docId, upTo: newestLoad }
  if (before !== undefined && isSame(before, upload)) {
    if (earlier !== null) await endEarlierLoads(deps.database, earlier)
    return succeed(unchanged(before, upload))
  }
  const source = await readSource()
  if (!source.ok) return source
  const placed = await placeDocument(deps, {
    upload,
    collection: collection.value,
    source: source.value,
    by: principal.userId,
    id: nextId,
    ...(earlier === null ? {} : { first: (session) => endEarlierLoads(session, earlier) }),
  })
  // The collection was deleted after we read it: the load came later and creates it again. Or its vectors have another
  // length by now.
  return placed.ok && (placed.value === 'collection-gone' || placed.value === 'unfit-vector')
    ? loadOnce(deps, principal, sent, { ...only, readSource: async () => source })
    : (placed as Result<Loaded, Problem>)
}

/**
 * The collection of this name, for a caller who may load into it. If it does not exist, it becomes a pending
 * collection: a failed load leaves nothing visible behind.
 */
export async function collectionToLoadInto(
  deps: DocumentDeps,
  principal: Principal,
  name: string,
  { collectionId }: OnlyInto = {},
): Promise<Result<Collection, Problem>> {
  const [collection] = (await readCollections(deps.database, [name])).collections
  const isWriter = principal.roles.has(writerRole)
  if (collectionId !== undefined && collection?.id !== collectionId) return fail(collectionNotFound(name))
  if (collection !== undefined) {
    if (mayWrite(principal, collection)) return succeed(collection)
    // Who may neither read it nor create one gets the same response as for a collection that does not exist.
    const own = isWriter || mayRead(principal, collection) ? collection.writerRole : null
    return fail(writingNeeds(own ?? writerRole))
  }
  if (!isWriter && !principal.roles.has('admin')) return fail(writingNeeds(writerRole))
  await awaitCollection(deps.database, name, principal.userId, now(deps))
  const [pending] = (await readCollections(deps.database, [name], 'also-awaited')).collections
  // Another load may have created it meanwhile, or somebody may have changed its roles or deleted it.
  return pending?.isPending === true ? succeed(pending) : collectionToLoadInto(deps, principal, name)
}

/** Publishing decides this again: this check only saves work. */
function isSame(before: StoredDocument, upload: Upload): boolean {
  return (
    upload.replaces.length === 0 &&
    before.contentHash.equals(upload.contentHash) &&
    before.fileName === upload.fileName &&
    isDeepStrictEqual(before.vectorHash, upload.vector && vectorHash(upload.vector)) &&
    isDeepStrictEqual(before.metadata, upload.metadata)
  )
}

function unchanged(before: StoredDocument, upload: Upload): Loaded {
  return {
    docId: before.docId,
    collectionName: upload.collectionName,
    result: 'unchanged',
    version: before.version,
    sequence: before.addedSequence,
    chunks: before.chunkCount,
    characters: before.characters,
    pages: before.pages,
    mediaType: before.mediaType,
    language: before.language,
    warnings: warningsOf(before.flags),
  }
}

export interface Placing {
  readonly upload: Upload
  readonly collection: Collection
  readonly source: TextToIndex['source']
  /** sys_id of the user who requested it. */
  readonly by: string
  /** Reserved for the new version; absent: it is reserved now. */
  readonly id?: number
  /**
   * Called in the transaction before anything is written. It throws `LostLoad` for a worker that lost its load, which
   * must not write after another process or request did.
   */
  readonly first?: (session: Session) => Promise<void>
}

/**
 * All vectors of a collection have one source. A collection without vectors accepts the first vector that a caller
 * gives, unless it is bound: the length of its vectors would then reveal documents that others may not see, so an
 * administrator sets it.
 *
 * @returns why the vector cannot be stored; null: it can, or none was given
 */
function whyNotVector({ embeddings }: DocumentDeps, collection: Collection, { vector }: Upload): Problem | null {
  if (vector === null) return null
  const { embeddingsModel, vectorLength, isPending } = collection
  const wrong = (detail: string): Problem => ({ kind: 'invalid-value', field: 'vector', detail })
  const maker = embeddingsModel ?? (isPending ? null : (embeddings?.embedder.model.name ?? null))
  if (maker !== null && maker !== callerModel)
    return wrong(
      `the vectors of this collection are made by the model ${maker}; with embeddings_model=caller callers give them`,
    )
  if (vectorLength === null && isBound(collection))
    return wrong('an administrator sets vector_length of a collection that is bound to a table first')
  if (vectorLength !== null && vectorLength !== vector.length)
    return wrong(`it has ${vector.length} numbers; the vectors of this collection have ${vectorLength}`)
  return null
}

/** Another load gave the collection vectors of another length meanwhile. */
class UnfitVector extends Error {}

/** Another process took over the load, or a later request made it void. */
export class LostLoad extends Error {}

/** Turns a text into a current document: splits, analyses and writes it, switches to it, and waits for this process's index. */
export async function placeDocument(
  deps: DocumentDeps,
  { upload, collection, source, by, id: reserved, first }: Placing,
): Promise<Result<Loaded | 'collection-gone' | 'unfit-vector', Problem>> {
  const id = reserved ?? (await nextDocumentId(deps.database))
  const title = upload.metadata['title']
  const prepared = await deps.index.prepare({
    id,
    docId: upload.docId,
    source,
    title: typeof title === 'string' && title.trim() !== '' ? title : null,
    fallbackTitle: upload.fileName?.replace(/\.[^.]{1,8}$/, '') ?? null,
    sizes: sizesOf(collection),
    ...(upload.vector === null ? {} : { isWhole: true }),
  })
  if (!prepared.ok) return prepared
  await recordLanguage(deps.database, collection, prepared.value.language)
  const published = await publish(
    deps,
    newDocument(prepared.value, { id, upload, collection, by, loadedAt: now(deps) }),
    first,
  )
  if (published.result === 'unfit-vector') return succeed('unfit-vector')
  if (published.result === 'collection-gone') return succeed('collection-gone')
  if (published.result !== 'unchanged') deps.index.offer(id, prepared.value)
  await deps.index.refresh()
  for (const model of deps.models.values()) model.notify()
  return succeed({
    docId: upload.docId,
    collectionName: upload.collectionName,
    result: published.result,
    version: published.version,
    sequence: published.sequence,
    chunks: prepared.value.chunks.length,
    characters: prepared.value.text.length,
    pages: prepared.value.pages,
    mediaType: prepared.value.mediaType,
    language: prepared.value.language,
    warnings: warningsOf(prepared.value.flags),
  })
}

async function publish(
  { database }: DocumentDeps,
  document: NewDocument,
  first: Placing['first'],
): Promise<Published | { readonly result: 'unfit-vector' }> {
  const { vector } = document
  if (first === undefined && vector === null && isOneStatement(document)) return publishDocument(database, document)
  const published = database.inTransaction(async (session) => {
    await first?.(session)
    const made = await publishDocument(session, document)
    if (vector !== null && 'documentId' in made && made.documentId === document.id)
      if (!(await keepGivenVector(session, { ...document, vector }))) throw new UnfitVector()
    return made
  })
  return published.catch((error: unknown) => {
    if (error instanceof UnfitVector) return { result: 'unfit-vector' }
    throw error
  })
}

export function sizesOf({ chunkUnits, overlapUnits }: Pick<Collection, 'chunkUnits' | 'overlapUnits'>): ChunkSizes {
  const maxUnits = chunkUnits ?? defaultChunkSizes.maxUnits
  return { maxUnits, overlapUnits: overlapUnits ?? Math.min(defaultChunkSizes.overlapUnits, Math.floor(maxUnits / 2)) }
}

export function newDocument(
  prepared: SplitText & { readonly terms: Uint8Array | null },
  about: {
    readonly id: number
    readonly upload: Upload
    readonly collection: Pick<Collection, 'id' | 'chunkUnits' | 'overlapUnits'>
    readonly by: string
    readonly loadedAt: Date
  },
): NewDocument {
  const { upload, collection, loadedAt } = about
  const { docId, metadata, fileName, size, contentHash, fileHash, replaces, vector } = upload
  const { mediaType, language, title, pages, flags, text, chunks, terms } = prepared
  const own = {
    doc_id: docId,
    file_name: fileName,
    media_type: mediaType,
    language,
    loaded_at: loadedAt.toISOString(),
    size,
  }
  return {
    id: about.id,
    collectionId: collection.id,
    docId,
    metadata,
    filterValues: filterValuesOf(metadata, own),
    recordId: recordIdOf(metadata),
    title,
    fileName,
    mediaType,
    language,
    size,
    characters: text.length,
    pages,
    flags,
    contentHash,
    blobHash: fileHash,
    loadedAt,
    loadedBy: about.by,
    text,
    chunks,
    terms,
    replaces,
    vector,
    charset: upload.charset,
    splitAs: splitSignature(sizesOf(collection)),
    readSizes: collection,
  }
}

function now(deps: DocumentDeps): Date {
  return new Date(deps.clock.nowMs())
}
