import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { CollectionBody } from '../../contract/documents.ts'
import { configureCollection } from '../../documents/configure-collection.ts'
import { deleteCollection, deleteDocument } from '../../documents/delete-documents.ts'
import { documentLimits } from '../../documents/document-limits.ts'
import type { DocumentRoom } from '../../documents/document-room.ts'
import { listCollectionDetails, listCollectionNames } from '../../documents/list-collections.ts'
import { listDocumentDetails, listDocumentNames } from '../../documents/list-documents.ts'
import { loadFile, loadText } from '../../documents/load-document.ts'
import { documentStatus } from '../../documents/load-status.ts'
import { queueFile } from '../../documents/queue-loads.ts'
import { readContent } from '../../documents/read-content.ts'
import { readFile } from '../../documents/read-file.ts'
import { searchDocuments } from '../../documents/search-documents.ts'
import { dropFile } from '../../documents/store/blob-store.ts'
import { readCollectionName } from '../../documents/upload/read-collection-name.ts'
import { replaceByWords } from '../../documents/upload/read-upload.ts'
import { readVector } from '../../documents/upload/read-vector.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { sendAnswer, sendProblem } from '../answer/send-answer.ts'
import { sendFailure } from '../answer/send-failure.ts'
import { cursorOf, streamContent } from '../answer/stream-content.ts'
import { streamFile } from '../answer/stream-file.ts'
import { streamStatus } from '../answer/stream-status.ts'
import { bodyLimits, defaultTimeouts, type HttpParts } from '../http-parts.ts'
import { callerOf } from '../request/caller.ts'
import { type ReceivedUpload, receiveUpload } from '../request/form/receive-upload.ts'
import { readQueryString } from '../request/query-string.ts'
import type { BodyLimits } from '../request/read-body.ts'
import { readJson } from '../request/read-json.ts'
import { readShape } from '../request/read-shape.ts'
import { queryOf } from '../request/request-target.ts'
import type { StatementGate } from '../request/statement-gate.ts'
import { answering } from './answering.ts'
import { chunkOnTheWire, collectionOnTheWire, detailsOnTheWire, loadedOnTheWire } from './document-answers.ts'
import {
  type DocumentPath,
  type Given,
  givenIn,
  loadBodyBytes,
  readGiven,
  unknownAmong,
} from './document-parameters.ts'
import { readShape as readSearchShape } from './search-shape.ts'
import { warningSentence } from './search-warnings.ts'

/** What the document routes need beside the room itself. */
export interface DocumentRouteParts {
  readonly room: DocumentRoom
  /** Where files lie while they are received. */
  readonly uploadFolder: string
  readonly gate: StatementGate
}

/** Documents contract, section 4, and what the documents spec adds: status, file, collections' settings. */
export function addDocumentRoutes(app: FastifyInstance, http: HttpParts, parts: DocumentRouteParts): void {
  const { room, gate } = parts
  const { observe } = http
  /** Counts as a running statement of its user. Loads do not: they wait for files. */
  const gated =
    <Args extends readonly [Asking, ...unknown[]], T>(work: (...args: Args) => Promise<Result<T, Problem>>) =>
    (...args: Args) =>
      gate.run(args[0].principal.userId, () => work(...args))
  const ask = (path: DocumentPath, method: string | string[], work: Work): void => {
    const handler = answering(observe, (request: FastifyRequest) => answer(http, request, path, work))
    app.route({ method, url: path, handler })
  }
  const stream = (path: DocumentPath, method: string | string[], work: Send): void => {
    const handler = (request: FastifyRequest, reply: FastifyReply): void => {
      send(http, request, reply, { path, work }).catch((error: unknown) => sendFailure(observe, reply, error))
    }
    app.route({ method, url: path, handler })
  }
  app.post('/load_document_to_collection', (request, reply) => {
    loadForm(parts, request, reply).catch((error: unknown) => sendFailure(observe, reply, error))
  })
  ask('/load_text_to_collection', 'POST', loadSentText(room))
  stream('/get_relevant_documents', [...reading, 'POST'], gated(search(room, http.settings.searchMode)))
  stream('/get_content_by_tag', [...reading, 'POST'], content(room, gate))
  stream('/get_list_of_documents_names', reading, gated(documentNames(room)))
  ask('/get_list_of_collection', reading, gated(collectionNames(room)))
  ask('/delete_document_from_collection', 'DELETE', gated(removeDocument(room)))
  ask('/delete_collection', 'DELETE', gated(removeCollection(room)))
  stream('/get_document_status', reading, status(room, gate))
  stream('/get_document_file', reading, file(room, gate))
  ask('/collections/:name', reading, gated(readSettings(room)))
  ask('/collections/:name', 'PUT', gated(changeSettings(room)))
}

const reading = ['GET', 'HEAD']

interface Asking {
  readonly given: Given
  readonly principal: Principal
  readonly request: FastifyRequest
}
/** Gives what stands in `data`. */
type Work = (asking: Asking) => Promise<Result<unknown, Problem>>
/** Sends its own answer, or gives the problem to send. */
type Send = (asking: Asking, reply: FastifyReply) => Promise<Result<void, Problem>>

async function answer(
  http: HttpParts,
  request: FastifyRequest,
  path: DocumentPath,
  work: Work,
): Promise<Result<unknown, Problem>> {
  const isLoad = path === '/load_text_to_collection'
  const given = await readGiven(request, path, isLoad ? loadLimits(http) : bodyLimits(http))
  return given.ok ? work({ given: given.value, principal: callerOf(request).principal, request }) : given
}

function loadLimits({ timeouts }: HttpParts): BodyLimits {
  return { maxBytes: loadBodyBytes, timeoutMs: timeouts?.requestMs ?? defaultTimeouts.requestMs }
}

async function send(
  http: HttpParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { path, work }: { readonly path: DocumentPath; readonly work: Send },
): Promise<void> {
  const given = await readGiven(request, path, bodyLimits(http))
  const sent = given.ok
    ? await work({ given: given.value, principal: callerOf(request).principal, request }, reply)
    : given
  if (!sent.ok) sendProblem(reply, sent.error)
}

// ── loading ──

function loadSentText(room: DocumentRoom): Work {
  return async ({ given, principal }) => {
    const beganMs = room.clock.nowMs()
    const collectionName = given.text('collection_name')
    if (!collectionName.ok) return collectionName
    const vector = given.json('vector')
    if (!vector.ok) return vector
    const loaded = await loadText(room, principal, {
      collectionName: collectionName.value,
      metadata: given.member('metadata'),
      text: given.member('text'),
      vector: vector.value,
    })
    return loaded.ok ? succeed(loadedOnTheWire(loaded.value, room.clock.nowMs() - beganMs)) : loaded
  }
}

async function loadForm(parts: DocumentRouteParts, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const received = await receiveUpload(request, parts.uploadFolder)
  if (!received.ok) return sendProblem(reply, received.error)
  try {
    const answered = await loadReceived(parts.room, request, received.value)
    if (!answered.ok) return sendProblem(reply, answered.error)
    const { status, data } = answered.value
    sendAnswer(reply, { status, headers: {}, body: JSON.stringify({ status: 'OK', data }) })
  } finally {
    await dropFile(received.value.file)
  }
}

async function loadReceived(
  room: DocumentRoom,
  request: FastifyRequest,
  { file, fileName, charset: charsetOfPart, fields }: ReceivedUpload,
): Promise<Result<{ readonly status: 200 | 202; readonly data: unknown }, Problem>> {
  const beganMs = room.clock.nowMs()
  const query = readQueryString(queryOf(request.raw.url ?? ''))
  if (!query.ok) return query
  const unknown = unknownAmong('/load_document_to_collection', [...query.value.keys(), ...fields.keys()])
  if (unknown !== null) return refuse(unknown)
  const given = givenIn(query.value, Object.fromEntries(fields))
  const collectionName = given.text('collection_name')
  if (!collectionName.ok) return collectionName
  const isAsync = given.flag('async')
  if (!isAsync.ok) return isAsync
  const replaceBy = given.oneOf('replace_by', replaceByWords)
  if (!replaceBy.ok) return replaceBy
  const charset = given.text('charset')
  if (!charset.ok) return charset
  const metadata = readMetadataField(fields.get('metadata'))
  if (!metadata.ok) return metadata
  const { principal } = callerOf(request)
  const sent = {
    collectionName: collectionName.value,
    metadata: metadata.value,
    fileName,
    replaceBy: replaceBy.value ?? 'doc_id',
    charset: charset.value ?? charsetOfPart,
  }
  if (isAsync.value === true) {
    const queued = await queueFile(room, principal, sent, file)
    if (!queued.ok) return queued
    const { docId, collectionName } = queued.value
    return succeed({ status: 202, data: { doc_id: docId, collection_name: collectionName, state: 'queued' } })
  }
  const loaded = await loadFile(room, principal, sent, file)
  if (!loaded.ok) return loaded
  return succeed({ status: 200, data: loadedOnTheWire(loaded.value, room.clock.nowMs() - beganMs) })
}

/** The form's field holds JSON; nothing in it is no metadata. */
function readMetadataField(text: string | undefined): Result<unknown, Problem> {
  if (text === undefined || text.trim() === '') return succeed(undefined)
  const metadata = readJson(text)
  if (metadata.ok || metadata.error.kind !== 'bad-json') return metadata
  return refuse({ ...metadata.error, field: 'metadata' })
}

// ── searching and reading ──

const kRange = { least: documentLimits.leastK, most: documentLimits.mostK, otherwise: documentLimits.defaultK }

function search(room: DocumentRoom, defaultMode: SearchMode): Send {
  return async ({ given, principal }, reply) => {
    const beganMs = performance.now()
    const asked = readSearch(given, defaultMode)
    if (!asked.ok) return asked
    const found = await searchDocuments(room, principal, asked.value)
    if (!found.ok) return found
    const took_ms = Math.round((performance.now() - beganMs) * 100) / 100
    const { hits, mode, warnings, corrections, didYouMean } = found.value
    const body = JSON.stringify({
      status: 'OK',
      data: hits.map(chunkOnTheWire),
      mode,
      took_ms,
      ...(didYouMean === null ? {} : { corrections, did_you_mean: didYouMean }),
      ...(warnings.length === 0 ? {} : { warnings: warnings.map((each) => warningSentence(each, principal.language)) }),
    })
    return succeed(sendAnswer(reply, { status: 200, headers: {}, body }))
  }
}

const modes = ['lexical', 'hybrid', 'vector'] as const
type SearchMode = (typeof modes)[number]

function readSearch(given: Given, defaultMode: SearchMode) {
  const near = readNear(given, defaultMode)
  if (!near.ok) return near
  const { mode, vector, weights } = near.value
  const query = mode === 'vector' && vector !== null ? given.text('query') : given.required('query')
  if (!query.ok) return query
  const text = query.value ?? ''
  const { queryUnits, collectionsOfSearch } = documentLimits
  if (text.length > queryUnits)
    return tooMuch('query', `it is ${text.length} characters long; at most ${queryUnits} are allowed`)
  const k = given.whole('k', kRange)
  if (!k.ok) return k
  const names = given.list('collection_names')
  if (!names.ok) return names
  if (names.value.length > collectionsOfSearch)
    return tooMuch('collection_names', `it names ${names.value.length}; at most ${collectionsOfSearch} are allowed`)
  const filter = given.text('metadata')
  if (!filter.ok) return filter
  const highlight = given.flag('highlight')
  if (!highlight.ok) return highlight
  const explain = given.flag('explain')
  if (!explain.ok) return explain
  const shape = readSearchShape(given)
  if (!shape.ok) return shape
  return succeed({
    query: text,
    k: k.value,
    shape: shape.value,
    collectionNames: names.value.length === 0 ? null : [...new Set(names.value.map((name) => name.normalize('NFC')))],
    filter: filter.value ?? '',
    mode,
    vector,
    weights,
    highlight: highlight.value ?? true,
    explain: explain.value ?? false,
  })
}

/** What a search has beside its words. A vector that is given is searched with. */
function readNear(given: Given, defaultMode: SearchMode) {
  const sent = given.oneOf('mode', modes)
  if (!sent.ok) return sent
  const json = given.json('vector')
  if (!json.ok) return json
  const vector = json.value === undefined ? succeed(null) : readVector(json.value)
  if (!vector.ok) return vector
  const query = given.text('query')
  if (!query.ok) return query
  const withVector = query.value === undefined ? 'vector' : 'hybrid'
  const mode = sent.value ?? (vector.value === null ? defaultMode : withVector)
  if (mode === 'lexical' && vector.value !== null) return tooMuch('vector', 'a search with mode=lexical uses none')
  const weights = readWeights(given)
  return weights.ok ? succeed({ mode, vector: vector.value, weights: weights.value }) : weights
}

const Weights = z.strictObject({
  lexical: z.number().min(0).max(100).default(1),
  vector: z.number().min(0).max(100).default(1),
})

function readWeights(given: Given) {
  const json = given.json('weights')
  if (!json.ok) return json
  const parsed = Weights.safeParse(json.value ?? {})
  if (!parsed.success)
    return tooMuch('weights', 'it must be an object such as {"lexical":1,"vector":2}, with numbers from 0 to 100')
  const { lexical, vector } = parsed.data
  return lexical + vector > 0 ? succeed(parsed.data) : tooMuch('weights', 'one of them must be more than 0')
}

function tooMuch(field: string, detail: string): Result<never, Problem> {
  return refuse({ kind: 'invalid-value', field, detail })
}

const contentRange = {
  least: 1,
  most: documentLimits.mostContentLimit,
  otherwise: documentLimits.defaultContentLimit,
}

function content(room: DocumentRoom, gate: StatementGate): Send {
  return async ({ given, principal }, reply) => {
    const collectionName = given.required('collection_name')
    if (!collectionName.ok) return collectionName
    const filter = given.text('tag_info')
    if (!filter.ok) return filter
    const limit = given.whole('limit', contentRange)
    if (!limit.ok) return limit
    const after = readCursor(given)
    if (!after.ok) return after
    const asked = {
      collectionName: collectionName.value,
      filter: filter.value ?? '',
      limit: limit.value,
      after: after.value,
    }
    const page = await gate.run(principal.userId, () => readContent(room, principal, asked))
    return page.ok ? succeed(await streamContent(reply, page.value)) : page
  }
}

const listRange = { least: 1, most: documentLimits.mostListLimit, otherwise: 0 }

function documentNames(room: DocumentRoom): Send {
  return async ({ given, principal }, reply) => {
    const collectionName = given.required('collection_name')
    if (!collectionName.ok) return collectionName
    const details = given.flag('details')
    if (!details.ok) return details
    const limit = given.whole('limit', listRange)
    if (!limit.ok) return limit
    const after = readCursor(given)
    if (!after.ok) return after
    const isPaged = limit.value > 0
    const asked = {
      collectionName: collectionName.value,
      limit: isPaged ? limit.value : null,
      after: after.value,
    }
    const listed =
      details.value === true
        ? await listDocumentDetails(room, principal, asked)
        : await listDocumentNames(room, principal, asked)
    if (!listed.ok) return listed
    const { documents, next } = listed.value
    const data = documents.map((each) => (typeof each === 'string' ? each : detailsOnTheWire(each)))
    const body = JSON.stringify({ status: 'OK', data, ...(isPaged ? { next_cursor: cursorOf(next) } : {}) })
    return succeed(sendAnswer(reply, { status: 200, headers: {}, body }))
  }
}

function readCursor(given: Given): Result<string | null, Problem> {
  const cursor = given.text('cursor')
  if (!cursor.ok) return cursor
  if (cursor.value === undefined) return succeed(null)
  // Callers may make one of their own: it is data, and it must be one that the database can hold.
  const bytes = Buffer.from(cursor.value, 'base64url')
  if (bytes.toString('base64url') === cursor.value && isUtf8(bytes) && !bytes.includes(0))
    return succeed(bytes.toString())
  const expected = 'next_cursor of the page before'
  return refuse({ kind: 'bad-parameter', parameter: 'cursor', found: cursor.value, expected })
}

function collectionNames(room: DocumentRoom): Work {
  return async ({ given, principal }) => {
    const details = given.flag('details')
    if (!details.ok) return details
    if (details.value !== true) return listCollectionNames(room, principal)
    const listed = await listCollectionDetails(room, principal, null)
    return listed.ok ? succeed(listed.value.map(collectionOnTheWire)) : listed
  }
}

function status(room: DocumentRoom, gate: StatementGate): Send {
  return async ({ given, principal }, reply) => {
    const named = readDocumentName(given)
    if (!named.ok) return named
    const stream = given.flag('stream')
    if (!stream.ok) return stream
    const { collectionName, docId } = named.value
    const look = () => gate.run(principal.userId, () => documentStatus(room, principal, collectionName, docId))
    return streamStatus(reply, look, stream.value === true && reply.request.method !== 'HEAD')
  }
}

function file(room: DocumentRoom, gate: StatementGate): Send {
  return async ({ given, principal }, reply) => {
    const named = readDocumentName(given)
    if (!named.ok) return named
    const { collectionName, docId } = named.value
    const found = await gate.run(principal.userId, () => readFile(room, principal, collectionName, docId))
    return found.ok ? streamFile(reply, found.value) : found
  }
}

function readDocumentName(given: Given): Result<{ readonly collectionName: string; readonly docId: string }, Problem> {
  const collectionName = given.required('collection_name')
  if (!collectionName.ok) return collectionName
  const docId = given.required('id_value')
  return docId.ok ? succeed({ collectionName: collectionName.value, docId: docId.value }) : docId
}

// ── removing ──

const removedSentence = {
  en: 'Documents successfully deleted.',
  ru: 'Документы успешно удалены.',
} as const

function removeDocument(room: DocumentRoom): Work {
  return async ({ given, principal }) => {
    const named = readDocumentName(given)
    if (!named.ok) return named
    const removed = await deleteDocument(room, principal, named.value.collectionName, named.value.docId)
    return removed.ok ? succeed({ description: removedSentence[principal.language], count: removed.value }) : removed
  }
}

function removeCollection(room: DocumentRoom): Work {
  return async ({ given, principal }) => {
    const name = given.required('collection_name')
    if (!name.ok) return name
    const removed = await deleteCollection(room, principal, name.value)
    return removed.ok ? succeed({ description: removedSentence[principal.language], count: removed.value }) : removed
  }
}

// ── settings of a collection ──

function nameInPath(request: FastifyRequest): string {
  return (request.params as { readonly name: string }).name
}

function readSettings(room: DocumentRoom): Work {
  return async ({ principal, request }) => {
    const name = readCollectionName(nameInPath(request), 'name')
    if (!name.ok) return name
    const listed = await listCollectionDetails(room, principal, [name.value])
    return listed.ok ? succeed(listed.value.map(collectionOnTheWire)) : listed
  }
}

function changeSettings(room: DocumentRoom): Work {
  return async ({ given, principal, request }) => {
    const sent = readShape(CollectionBody, given.body)
    if (!sent.ok) return sent
    const { reader_role, writer_role, acl_table, chunk_units, overlap_units, embeddings_model, vector_length } =
      sent.value
    const change = {
      readerRole: reader_role,
      writerRole: writer_role,
      aclTable: acl_table,
      chunkUnits: chunk_units,
      overlapUnits: overlap_units,
      embeddingsModel: embeddings_model,
      vectorLength: vector_length,
    }
    const changed = await configureCollection(room, principal, nameInPath(request), change)
    return changed.ok ? succeed([collectionOnTheWire(changed.value)]) : changed
  }
}
