import { CollectionBody, CollectionsEnvelope, RemovedEnvelope } from '../../contract/documents.ts'
import { configureCollection } from '../../documents/configure-collection.ts'
import { deleteCollection, deleteDocument } from '../../documents/delete-documents.ts'
import type { DocumentDeps } from '../../documents/document-deps.ts'
import { listCollectionDetails, listCollectionNames } from '../../documents/list-collections.ts'
import { readCollectionName } from '../../documents/upload/read-collection-name.ts'
import { declare, type EndpointResponse } from '../../http/endpoint/declare.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { onCurrentTables } from '../../records/rights/on-current-tables.ts'
import { collectionName, details, idValue } from './document-input.ts'
import { collectionResponse } from './document-responses.ts'

const listEndpoint = declare({
  id: 'get_list_of_collection',
  path: '/get_list_of_collection',
  methods: ['GET'],
  tag: 'Collections',
  summary: 'List the collections that the caller may read',
  description: 'Names, or objects with details=1.',
  input: { details },
  output: CollectionsEnvelope,
  errors: [403],
  isGated: true,
  async handle(deps: DocumentDeps, { details: isDetailed }, { principal }) {
    if (isDetailed) return describeCollections(deps, principal, null)
    const names = await listCollectionNames(deps, principal)
    return names.ok ? succeed({ data: names.value }) : names
  },
})

const settingsEndpoint = declare({
  id: 'collections.read',
  path: '/collections/{name}',
  methods: ['GET'],
  tag: 'Collections',
  summary: 'Read the settings of a collection',
  description: 'An array with one collection.',
  input: {},
  inPath: { name: 'Name of the collection.' },
  output: CollectionsEnvelope,
  errors: [403, 404],
  isGated: true,
  async handle(deps: DocumentDeps, _input, { principal, path }) {
    const name = readCollectionName(path['name'], 'name')
    return name.ok ? describeCollections(deps, principal, [name.value]) : name
  },
})

async function describeCollections(
  deps: DocumentDeps,
  principal: Principal,
  names: readonly string[] | null,
): Promise<Result<EndpointResponse, Problem>> {
  const listed = await onCurrentTables(() => listCollectionDetails(deps, principal, names))
  return listed.ok ? succeed({ data: listed.value.map(collectionResponse) }) : listed
}

const changeEndpoint = declare({
  id: 'collections.write',
  path: '/collections/{name}',
  methods: ['PUT'],
  tag: 'Collections',
  summary: 'Set roles, binding and chunk sizes of a collection',
  description: 'For administrators. Settings that are not named stay; null sets the default.',
  input: {},
  body: CollectionBody,
  inPath: { name: 'Name of the collection.' },
  output: CollectionsEnvelope,
  errors: [403, 404],
  isGated: true,
  async handle(deps: DocumentDeps, { body }, { principal, path }) {
    const change = {
      readerRole: body.reader_role,
      writerRole: body.writer_role,
      aclTable: body.acl_table,
      chunkUnits: body.chunk_units,
      overlapUnits: body.overlap_units,
      embeddingsModel: body.embeddings_model,
      vectorLength: body.vector_length,
    }
    const changed = await configureCollection(deps, principal, path['name'] ?? '', change)
    return changed.ok ? succeed({ data: [collectionResponse(changed.value)] }) : changed
  },
})

const DELETED = { en: 'Documents successfully deleted.', ru: 'Документы успешно удалены.' } as const

function deleted({ language }: Principal, count: Result<number, Problem>): Result<EndpointResponse, Problem> {
  return count.ok ? succeed({ data: { description: DELETED[language], count: count.value } }) : count
}

const deleteDocumentEndpoint = declare({
  id: 'delete_document_from_collection',
  path: '/delete_document_from_collection',
  methods: ['DELETE'],
  tag: 'Documents',
  summary: 'Delete a document',
  description: 'The parameters can be in a JSON body instead; the query string wins.',
  input: { collection_name: collectionName, id_value: idValue },
  output: RemovedEnvelope,
  errors: [403, 404],
  isGated: true,
  async handle(deps: DocumentDeps, { collection_name, id_value }, { principal }) {
    return deleted(principal, await onCurrentTables(() => deleteDocument(deps, principal, collection_name, id_value)))
  },
})

const deleteCollectionEndpoint = declare({
  id: 'delete_collection',
  path: '/delete_collection',
  methods: ['DELETE'],
  tag: 'Collections',
  summary: 'Delete a collection with all its documents',
  description:
    'The parameter can be in a JSON body instead; the query string wins. One that is bound to a table, or follows one, is deleted by administrators only.',
  input: { collection_name: collectionName },
  output: RemovedEnvelope,
  errors: [403, 404],
  isGated: true,
  async handle(deps: DocumentDeps, { collection_name }, { principal }) {
    return deleted(principal, await onCurrentTables(() => deleteCollection(deps, principal, collection_name)))
  },
})

export const collectionEndpoints = [listEndpoint, deleteDocumentEndpoint, deleteCollectionEndpoint]
export const settingsEndpoints = [settingsEndpoint, changeEndpoint]
