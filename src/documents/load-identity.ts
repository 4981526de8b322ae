import { createHash } from 'node:crypto'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { DocumentDeps } from './document-deps.ts'
import { isBound, visibleDocuments } from './rights/visible-documents.ts'
import type { Collection } from './store/collections.ts'
import { contentId, type FileUpload, type Upload } from './upload/read-upload.ts'

/**
 * Determines the doc_id of an uploaded file (docs/spec/documents.md, section 2) and finds the documents that it
 * replaces.
 *
 * A file without its own doc_id is identified by its file name and its content. An earlier version used the content
 * alone: such a document with this content is replaced. With `replace_by=file_name` the file is identified by its file
 * name. Only documents visible to the caller are found.
 */
export async function identifyUpload(
  deps: DocumentDeps,
  principal: Principal,
  collection: Collection,
  upload: Upload | FileUpload,
): Promise<Result<Upload, Problem>> {
  if (!('ownDocId' in upload)) return succeed(upload)
  const { ownDocId, replaceBy, ...rest } = upload
  if (ownDocId !== null) return succeed({ ...rest, docId: ownDocId, replaces: [] })
  const caller = await callerIn(deps, principal, collection)
  const identity = replaceBy === 'file_name' ? await byFileName(caller, upload) : await byNameAndContent(caller, upload)
  return identity.ok ? succeed({ ...rest, ...identity.value }) : identity
}

type Identity = Pick<Upload, 'docId' | 'replaces'>

interface Caller {
  readonly deps: DocumentDeps
  readonly collection: Collection
  readonly visible: Awaited<ReturnType<typeof visibleDocuments>>
  /** Part of generated doc_ids, so that they do not collide with those of documents that the caller may not see. */
  readonly scope: string
}

async function callerIn(deps: DocumentDeps, principal: Principal, collection: Collection): Promise<Caller> {
  const isRestricted = isBound(collection) && !principal.roles.has('admin')
  return {
    deps,
    collection,
    visible: await visibleDocuments(deps.readableRecords, principal, [collection]),
    scope: isRestricted ? principal.userName : '',
  }
}

interface NamedFile {
  readonly id: number
  readonly docId: string
  readonly fileName: string | null
  readonly fileHash: Buffer
}

/** A document that `replace_by=file_name` created with this name and this content is the same document. */
async function byNameAndContent(caller: Caller, upload: FileUpload): Promise<Result<Identity, Problem>> {
  const { fileName } = upload
  const fileHash = upload.fileHash ?? upload.contentHash
  const [earlierId, namedId] = [contentId(fileHash), nameId(fileName ?? '', caller.scope)]
  const same = await filesWhere(
    caller,
    sql`d.blob_hash = ${fileHash} and (d.doc_id = ${earlierId} or (d.doc_id = ${namedId} and d.file_name = ${fileName}))`,
  )
  return succeed({
    docId: same.some(({ docId }) => docId === namedId) ? namedId : fileId(fileName, fileHash),
    replaces: same.filter(({ docId }) => docId === earlierId).map(({ id }) => id),
  })
}

/**
 * A document with a given doc_id keeps it. Documents with generated doc_ids are versions of this file: all of them are
 * replaced.
 */
async function byFileName(caller: Caller, upload: FileUpload): Promise<Result<Identity, Problem>> {
  const { fileName } = upload
  if (fileName === null)
    return fail({ kind: 'invalid-value', field: 'file', detail: 'replace_by=file_name needs the name of the file' })
  const docId = nameId(fileName, caller.scope)
  const same = await filesWhere(caller, sql`d.file_name = ${fileName}`)
  const given = same.filter((file) => file.docId !== docId && !isDerived(file))
  if (given.length > 1) return fail(severalHaveIt(fileName, given))
  const [kept = docId] = given.map((file) => file.docId)
  return succeed({ docId: kept, replaces: same.filter((file) => file.docId !== kept).map(({ id }) => id) })
}

function severalHaveIt(fileName: string, files: readonly NamedFile[]): Problem {
  const named = files.slice(0, 3).map(({ docId }) => docId)
  const ids = [...named, ...(files.length > named.length ? ['…'] : [])].join(', ')
  const detail = `${files.length} documents that were given a doc_id have the file name ${fileName} (${ids}). metadata.doc_id says which one to replace`
  return { kind: 'conflict', detail }
}

async function filesWhere(
  { deps, collection, visible }: Caller,
  condition: ReturnType<typeof sql>,
): Promise<readonly NamedFile[]> {
  const rows = await deps.database.rows(sql<{
    id: string
    doc_id: string
    file_name: string | null
    blob_hash: string
  }>`
    select d.id, d.doc_id, d.file_name, encode(d.blob_hash, 'hex') as blob_hash from docket_documents.document d
    where d.collection_id = ${collection.id} and d.removed_position is null and d.blob_hash is not null
      and ${condition} and ${visible ?? sql`true`}
    order by d.doc_id`)
  return rows.map(({ id, doc_id, file_name, blob_hash }) => ({
    id: Number(id),
    docId: doc_id,
    fileName: file_name,
    fileHash: Buffer.from(blob_hash, 'hex'),
  }))
}

function isDerived({ docId, fileName, fileHash }: NamedFile): boolean {
  return docId === contentId(fileHash) || docId === fileId(fileName, fileHash)
}

function fileId(fileName: string | null, fileHash: Buffer): string {
  return hashOf('file', fileName ?? '', fileHash.toString('hex'))
}

function nameId(fileName: string, scope: string): string {
  return hashOf('name', fileName, scope)
}

function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}
