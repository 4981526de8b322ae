import { z } from 'zod'
import {
  CollectionBody,
  CollectionsAnswer,
  ContentAnswer,
  ContentBody,
  DocumentMetadata,
  DocumentNamesAnswer,
  LoadedAnswer,
  LoadTextBody,
  MetadataToLoad,
  QueuedAnswer,
  RemovedAnswer,
  SearchAnswer,
  SearchBody,
  StatusAnswer,
} from '../../contract/documents.ts'
import { documentLimits } from '../../documents/document-limits.ts'
import { type JsonObject, schemaRef } from './json-schema.ts'
import { type ApiPart, inPath, inQuery, type OperationNote, operation } from './write-openapi.ts'

const collectionName = {
  ...inQuery('collection_name', 'Name of the collection.', z.string().max(documentLimits.collectionNameUnits)),
  required: true,
}
const idValue = { ...inQuery('id_value', 'doc_id of the document.', z.string()), required: true }
const flag = z.enum(['0', '1', 'true', 'false'])
const details = inQuery('details', '1: objects instead of names.', flag)

const readErrors = [400, 401, 403, 404, 408, 413, 415, 422, 500, 503]

/** Two methods of one operation: the contract lists GET and shows POST. */
function bothMethods(note: Omit<OperationNote, 'id'>, id: string): JsonObject {
  const { body: _, ...withoutBody } = note
  return { get: operation({ ...withoutBody, id: `${id}.get` }), post: operation({ ...note, id }) }
}

function answeredWith(content: JsonObject, description: string): JsonObject {
  return { description, content }
}

/** The other answers of an operation, beside the one that `operation` writes. */
function withAnswers(written: JsonObject, answers: JsonObject): JsonObject {
  return { ...written, responses: { ...(written['responses'] as JsonObject), ...answers } }
}

const form: JsonObject = {
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['file'],
        properties: {
          file: { type: 'string', format: 'binary', description: 'At most 100 MB.' },
          metadata: { type: 'string', description: 'The metadata object as JSON.' },
          replace_by: { type: 'string', enum: ['doc_id', 'file_name'], description: 'As the parameter.' },
        },
      },
    },
  },
}

const loadFile = operation({
  id: 'load_document_to_collection',
  tag: 'Documents',
  summary: 'Load a file into a collection',
  description:
    'The collection is made when it is not there. The document is named by metadata.doc_id, else metadata.sys_id, else by its file name and its content; a document of the same name is replaced in one step. 200 means that every search finds it.',
  parameters: [
    collectionName,
    inQuery(
      'replace_by',
      'file_name: the document of the same file name is replaced, whatever its content was.',
      z.enum(['doc_id', 'file_name']).default('doc_id'),
    ),
    inQuery('async', '1: answer at once; /get_document_status tells how the load goes.', flag),
    inQuery(
      'charset',
      'Encoding of a text file; wins over what the part of the form and the file say.',
      z.string().meta({ example: 'windows-1250' }),
    ),
  ],
  answer: 'Loaded',
  errors: [400, 401, 403, 408, 413, 415, 422, 500, 503],
})

/** Document collections: documents contract, section 4. */
export const documentPart: ApiPart = {
  tags: [
    { name: 'Documents', description: 'Documents in collections: load, read, delete.' },
    { name: 'Search', description: 'Passages that answer a question.' },
    { name: 'Collections', description: 'Collections and their settings.' },
  ],
  schemas: {
    DocumentMetadata,
    MetadataToLoad,
    LoadText: LoadTextBody,
    Search: SearchBody,
    Content: ContentBody,
    CollectionSettings: CollectionBody,
    Loaded: LoadedAnswer,
    Queued: QueuedAnswer,
    Found: SearchAnswer,
    ContentAnswer,
    DocumentNames: DocumentNamesAnswer,
    Collections: CollectionsAnswer,
    Removed: RemovedAnswer,
    DocumentStatus: StatusAnswer,
  },
  paths: {
    '/load_document_to_collection': {
      post: withAnswers(
        { ...loadFile, requestBody: form },
        { 202: answeredWith({ 'application/json': { schema: schemaRef('Queued') } }, 'Queued.') },
      ),
    },
    '/load_text_to_collection': {
      post: operation({
        id: 'load_text_to_collection',
        tag: 'Documents',
        summary: 'Load a text into a collection',
        description:
          'The collection is made when it is not there. A document of the same name is replaced in one step. 200 means that every search finds it.',
        parameters: [collectionName],
        body: schemaRef('LoadText'),
        answer: 'Loaded',
        errors: [400, 401, 403, 408, 413, 415, 422, 500, 503],
      }),
    },
    '/get_relevant_documents': bothMethods(
      {
        tag: 'Search',
        summary: 'Find the chunks that answer a query, best first',
        parameters: [
          { ...inQuery('query', 'What is looked for.', z.string().max(documentLimits.queryUnits)), required: true },
          inQuery(
            'k',
            'How many chunks at most.',
            z.int().min(documentLimits.leastK).max(documentLimits.mostK).default(documentLimits.defaultK),
          ),
          inQuery('collection_names', 'For a GET without a body: parted by commas.', z.string()),
          inQuery('metadata', 'For a GET without a body: the filter.', z.string()),
          inQuery(
            'mode',
            'By words, by words and meaning, or by vectors alone; without it, as the server is set.',
            z.enum(['lexical', 'hybrid', 'vector']),
          ),
          inQuery('vector', 'For a GET without a body: the vector to search with, as JSON.', z.string()),
          inQuery('weights', 'For a GET without a body: the weights of the rankings, as JSON.', z.string()),
          inQuery('highlight', '0: without the places of the words that were found.', flag),
          inQuery('explain', '1: with what each score is made of.', flag),
        ],
        description: 'Every parameter may stand in the body instead; the query string wins.',
        body: schemaRef('Search'),
        answer: 'Found',
        errors: readErrors,
      },
      'get_relevant_documents',
    ),
    '/get_content_by_tag': bothMethods(
      {
        tag: 'Documents',
        summary: 'Read the whole texts that a filter selects, by doc_id',
        description: 'Every parameter may stand in the body instead; the query string wins.',
        parameters: [
          collectionName,
          inQuery('tag_info', 'For a GET without a body: the filter.', z.string()),
          inQuery(
            'limit',
            'Documents of a page.',
            z.int().min(1).max(documentLimits.mostContentLimit).default(documentLimits.defaultContentLimit),
          ),
          inQuery('cursor', '`next_cursor` of the page before.', z.string()),
        ],
        body: schemaRef('Content'),
        answer: 'ContentAnswer',
        errors: readErrors,
      },
      'get_content_by_tag',
    ),
    '/get_list_of_documents_names': {
      get: operation({
        id: 'get_list_of_documents_names',
        tag: 'Documents',
        summary: 'List the documents of a collection by doc_id',
        description: 'Names, or objects with details=1. Documents that the caller may not see are left out.',
        parameters: [
          collectionName,
          details,
          inQuery(
            'limit',
            'Documents of a page; without it the list is whole.',
            z.int().min(1).max(documentLimits.mostListLimit),
          ),
          inQuery('cursor', '`next_cursor` of the page before.', z.string()),
        ],
        answer: 'DocumentNames',
        errors: readErrors,
      }),
    },
    '/get_list_of_collection': {
      get: operation({
        id: 'get_list_of_collection',
        tag: 'Collections',
        summary: 'List the collections that the caller may read',
        description: 'Names, or objects with details=1.',
        parameters: [details],
        answer: 'Collections',
        errors: readErrors,
      }),
    },
    '/delete_document_from_collection': {
      delete: operation({
        id: 'delete_document_from_collection',
        tag: 'Documents',
        summary: 'Delete a document',
        description: 'The parameters may stand in a JSON body instead; the query string wins.',
        parameters: [collectionName, idValue],
        answer: 'Removed',
        errors: readErrors,
      }),
    },
    '/delete_collection': {
      delete: operation({
        id: 'delete_collection',
        tag: 'Collections',
        summary: 'Delete a collection with all its documents',
        description:
          'The parameter may stand in a JSON body instead; the query string wins. One that is bound to a table, or follows one, is deleted by administrators only.',
        parameters: [collectionName],
        answer: 'Removed',
        errors: readErrors,
      }),
    },
    '/get_document_status': {
      get: withAnswers(
        operation({
          id: 'get_document_status',
          tag: 'Documents',
          summary: 'How the load of a document goes',
          description: 'The stage of a load, its progress, and why it failed.',
          parameters: [
            collectionName,
            idValue,
            inQuery('stream', '1: Server-Sent Events named `status`, at each change, until the load is over.', flag),
          ],
          answer: 'DocumentStatus',
          errors: readErrors,
        }),
        {
          200: answeredWith(
            {
              'application/json': { schema: schemaRef('DocumentStatus') },
              'text/event-stream': {
                schema: { type: 'string', description: 'Each `data` is what `data` of the JSON answer is.' },
              },
            },
            'The status, or the stream of it.',
          ),
          204: { description: 'With stream=1 and Last-Event-ID: that was the last event; do not come back.' },
        },
      ),
    },
    '/get_document_file': {
      get: withAnswers(
        operation({
          id: 'get_document_file',
          tag: 'Documents',
          summary: 'Get the file as it was loaded',
          description: 'The bytes as they were loaded, whole or a range of them.',
          parameters: [collectionName, idValue],
          answer: {},
          errors: [...readErrors, 412, 416],
        }),
        {
          200: answeredWith({ '*/*': { schema: { type: 'string', format: 'binary' } } }, 'The file, as an attachment.'),
          206: answeredWith(
            { '*/*': { schema: { type: 'string', format: 'binary' } } },
            'The bytes that the header Range asks for.',
          ),
          304: { description: 'If-None-Match names the ETag of these bytes.' },
        },
      ),
    },
    '/collections/{name}': {
      parameters: [inPath('name', 'Name of the collection.')],
      get: operation({
        id: 'collections.read',
        tag: 'Collections',
        summary: 'Read the settings of a collection',
        description: 'An array with one collection.',
        answer: 'Collections',
        errors: readErrors,
      }),
      put: operation({
        id: 'collections.write',
        tag: 'Collections',
        summary: 'Set roles, binding and chunk sizes of a collection',
        description: 'For administrators. What is not named stays; null goes back to what is usual.',
        body: schemaRef('CollectionSettings'),
        answer: 'Collections',
        errors: readErrors,
      }),
    },
  },
}
