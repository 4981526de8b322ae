import { z } from 'zod'
import { LoadedEnvelope, LoadTextBody, MetadataToLoad } from '../../contract/documents.ts'
import type { DocumentDeps } from '../../documents/document-deps.ts'
import { documentLimits } from '../../documents/document-limits.ts'
import { loadFile, loadText } from '../../documents/load-document.ts'
import { queueFile } from '../../documents/queue-loads.ts'
import { replaceByWords } from '../../documents/upload/read-upload.ts'
import { declare, type EndpointResponse } from '../../http/endpoint/declare.ts'
import { json, member } from '../../http/endpoint/read-input.ts'
import { schemaRef } from '../../http/openapi/json-schema.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { collectionName } from './document-input.ts'
import { loadedResponse } from './document-responses.ts'
import { LOAD_LIMITS } from './load-limits.ts'

/** A JSON text of 10 MB can be six times as long if every character is an escape sequence. */
const loadBodyBytes = documentLimits.textBytes * 6 + 262_144

const loadTextEndpoint = declare({
  id: 'load_text_to_collection',
  path: '/load_text_to_collection',
  methods: ['POST'],
  tag: 'Documents',
  summary: 'Load a text into a collection',
  description:
    'The collection is created if it does not exist. A document of the same name is replaced in one step. 200 means that every search finds it.',
  input: {
    collection_name: collectionName,
    metadata: member(LoadTextBody.shape.metadata),
    text: member(LoadTextBody.shape.text),
    vector: json(LoadTextBody.shape.vector),
  },
  maxBodyBytes: loadBodyBytes,
  output: LoadedEnvelope,
  errors: [403],
  limits: LOAD_LIMITS,
  isGated: false,
  async handle(deps: DocumentDeps, { collection_name, metadata, text, vector }, { principal }) {
    const beganMs = deps.clock.nowMs()
    const loaded = await loadText(deps, principal, { collectionName: collection_name, metadata, text, vector })
    return loaded.ok ? succeed({ data: loadedResponse(loaded.value, deps.clock.nowMs() - beganMs) }) : loaded
  },
})

const loadFileEndpoint = declare({
  id: 'load_document_to_collection',
  path: '/load_document_to_collection',
  methods: ['POST'],
  tag: 'Documents',
  summary: 'Load a file into a collection',
  description:
    'The collection is created if it does not exist. The document is named by metadata.doc_id, else metadata.sys_id, else by its file name and its content; a document of the same name is replaced in one step. 200 means that every search finds it.',
  input: {
    collection_name: collectionName,
    metadata: json(MetadataToLoad.optional().meta({ description: 'The metadata object.' })),
    replace_by: z.enum(replaceByWords).default('doc_id').meta({
      description: 'file_name: the document of the same file name is replaced, whatever its content was.',
    }),
    async: z.boolean().default(false).meta({
      description: '1: respond at once; /get_document_status reports how the load goes.',
    }),
    charset: z
      .string()
      .optional()
      .meta({
        description: 'Encoding of a text file. It overrides those named in the form part and in the file.',
        examples: ['windows-1250'],
      }),
  },
  receives: 'upload',
  output: LoadedEnvelope,
  responses: {
    202: { description: 'Queued.', content: { 'application/json': { schema: schemaRef('Queued') } } },
  },
  errors: [403],
  limits: LOAD_LIMITS,
  isGated: false,
  async handle(deps: DocumentDeps, input, { principal, upload }): Promise<Result<EndpointResponse, Problem>> {
    if (upload === undefined) throw new Error('the operation receives a form')
    const beganMs = deps.clock.nowMs()
    const sent = {
      collectionName: input.collection_name,
      metadata: input.metadata,
      fileName: upload.fileName,
      replaceBy: input.replace_by,
      charset: input.charset ?? upload.charset,
    }
    if (input.async) {
      const queued = await queueFile(deps, principal, sent, upload.file)
      if (!queued.ok) return queued
      const { docId, collectionName: name } = queued.value
      return succeed({ status: 202, data: { doc_id: docId, collection_name: name, state: 'queued' } })
    }
    const loaded = await loadFile(deps, principal, sent, upload.file)
    return loaded.ok ? succeed({ data: loadedResponse(loaded.value, deps.clock.nowMs() - beganMs) }) : loaded
  },
})

export const loadEndpoints = [loadFileEndpoint, loadTextEndpoint]
