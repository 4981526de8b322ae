import { isDeepStrictEqual } from 'node:util'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, refuse, succeed } from '../kernel/result.ts'
import { defaultChunkSizes } from './chunk/chunk-text.ts'
import type { DocumentRoom } from './document-room.ts'
import type { ExtractedText } from './extract/extracted-text.ts'
import { filterValuesOf } from './filter/filter-values.ts'
import { mayWrite, writerRole, writingNeeds } from './rights/collection-access.ts'
import { type Collection, createCollection, noteLanguage, readCollections } from './store/collections.ts'
import { findDocument, nextDocumentId, type StoredDocument } from './store/find-document.ts'
import { publishDocument } from './store/publish-document.ts'
import { readTextUpload, type TextSent, type Upload } from './upload/read-upload.ts'

/** What a load answers (documents spec, section 2). */
export interface Loaded {
  readonly docId: string
  readonly collectionName: string
  readonly result: 'created' | 'replaced' | 'unchanged'
  readonly version: number
  readonly chunks: number
  /** UTF-16 units of the extracted text. */
  readonly characters: number
  readonly pages: number | null
  readonly mediaType: string
  readonly language: string | null
}

/**
 * A text into a collection, which is made when it is not there. When this succeeds, the document is durable and every search
 * of every process finds it.
 */
export async function loadText(
  room: DocumentRoom,
  principal: Principal,
  sent: TextSent,
): Promise<Result<Loaded, Problem>> {
  const upload = readTextUpload(sent)
  if (!upload.ok) return upload
  return loadInto(room, principal, upload.value, async () => {
    const { text } = upload.value
    return succeed({ text, mediaType: 'text/plain', blocks: [], flags: [] })
  })
}

type Extract = () => Promise<Result<ExtractedText, Problem>>

/** @param extract asked only when the content is not there yet */
export async function loadInto(
  room: DocumentRoom,
  principal: Principal,
  upload: Upload,
  extract: Extract,
): Promise<Result<Loaded, Problem>> {
  const collection = await collectionToLoadInto(room, principal, upload.collectionName)
  if (!collection.ok) return collection
  const before = await findDocument(room.database, collection.value.id, upload.docId)
  if (before !== undefined && isSame(before, upload)) return succeed(unchanged(before, upload))
  const extracted = await extract()
  if (!extracted.ok) return extracted
  return publish(room, principal, { upload, collection: collection.value, extracted: extracted.value })
}

async function collectionToLoadInto(
  room: DocumentRoom,
  principal: Principal,
  name: string,
): Promise<Result<Collection, Problem>> {
  const { collections } = await readCollections(room.database, [name])
  const [collection] = collections
  if (collection !== undefined)
    return mayWrite(principal, collection)
      ? succeed(collection)
      : refuse(writingNeeds(collection.writerRole ?? writerRole))
  if (!principal.roles.has(writerRole) && !principal.roles.has('admin')) return refuse(writingNeeds(writerRole))
  await createCollection(room.database, name, principal.userId, new Date(room.clock.nowMs()))
  return collectionToLoadInto(room, principal, name)
}

/** Decided again when it is published: this look only spares the work. */
function isSame(before: StoredDocument, upload: Upload): boolean {
  return (
    before.contentHash.equals(upload.contentHash) &&
    before.fileName === upload.fileName &&
    isDeepStrictEqual(before.metadata, upload.metadata)
  )
}

function unchanged(before: StoredDocument, upload: Upload): Loaded {
  return {
    docId: before.docId,
    collectionName: upload.collectionName,
    result: 'unchanged',
    version: before.version,
    chunks: before.chunkCount,
    characters: before.characters,
    pages: before.pages,
    mediaType: before.mediaType,
    language: before.language,
  }
}

interface ReadyToPublish {
  readonly upload: Upload
  readonly collection: Collection
  readonly extracted: ExtractedText
}

async function publish(
  room: DocumentRoom,
  principal: Principal,
  ready: ReadyToPublish,
): Promise<Result<Loaded, Problem>> {
  const { upload, collection, extracted } = ready
  const id = await nextDocumentId(room.database)
  const title = titleOf(upload, extracted)
  const prepared = await room.index.prepare({
    id,
    docId: upload.docId,
    title,
    text: extracted.text,
    blocks: extracted.blocks,
    language: extracted.language ?? null,
    sizes: {
      maxUnits: collection.chunkUnits ?? defaultChunkSizes.maxUnits,
      overlapUnits: collection.overlapUnits ?? defaultChunkSizes.overlapUnits,
    },
  })
  await noteLanguage(room.database, collection, prepared.language)
  const loadedAt = new Date(room.clock.nowMs())
  const own = {
    doc_id: upload.docId,
    file_name: upload.fileName,
    media_type: extracted.mediaType,
    language: prepared.language,
    loaded_at: loadedAt.toISOString(),
    size: upload.size,
  }
  const published = await room.database.inTransaction((session) =>
    publishDocument(session, {
      id,
      collectionId: collection.id,
      docId: upload.docId,
      metadata: upload.metadata,
      filterValues: filterValuesOf(upload.metadata, own),
      recordId: recordIdOf(upload),
      title,
      fileName: upload.fileName,
      mediaType: extracted.mediaType,
      language: prepared.language,
      size: upload.size,
      characters: extracted.text.length,
      pages: extracted.pages ?? null,
      flags: extracted.flags,
      contentHash: upload.contentHash,
      blobHash: null,
      loadedAt,
      loadedBy: principal.userId,
      text: extracted.text,
      chunks: prepared.chunks,
      embeddings: null,
    }),
  )
  // Deleted since we looked: the load came later, so it makes the collection anew.
  if (published.result === 'collection-gone')
    return loadInto(room, principal, upload, () => Promise.resolve(succeed(extracted)))
  if (published.result !== 'unchanged') room.index.offer(id, prepared)
  await room.index.catchUp()
  return succeed({
    docId: upload.docId,
    collectionName: upload.collectionName,
    result: published.result,
    version: published.version,
    chunks: prepared.chunks.length,
    characters: extracted.text.length,
    pages: extracted.pages ?? null,
    mediaType: extracted.mediaType,
    language: prepared.language,
  })
}

function titleOf({ metadata, fileName }: Upload, extracted: ExtractedText): string | null {
  const given = metadata['title']
  if (typeof given === 'string' && given.trim() !== '') return given
  return extracted.title ?? fileName?.replace(/\.[^.]{1,8}$/, '') ?? null
}

/** The metadata's sys_id where it can be one of a record: up to 18 digits. */
function recordIdOf({ metadata }: Upload): string | null {
  const sysId = metadata['sys_id']
  return typeof sysId === 'string' && /^\d{1,18}$/.test(sysId) ? sysId : null
}
