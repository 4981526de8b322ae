import { z } from 'zod'
import { StatusEnvelope } from '../../contract/documents.ts'
import type { DocumentDeps } from '../../documents/document-deps.ts'
import { documentStatus } from '../../documents/load-status.ts'
import { readFile } from '../../documents/read-file.ts'
import { declare } from '../../http/endpoint/declare.ts'
import { schemaRef } from '../../http/openapi/json-schema.ts'
import { INLINE_DESCRIPTION, toDisplay } from '../../http/response/inline-type.ts'
import { streamFile } from '../../http/response/stream-file.ts'
import { succeed } from '../../kernel/result.ts'
import { onCurrentTables } from '../../records/rights/on-current-tables.ts'
import { collectionName, idValue } from './document-input.ts'
import { streamStatus } from './stream-status.ts'

const statusEndpoint = declare({
  id: 'get_document_status',
  path: '/get_document_status',
  methods: ['GET'],
  tag: 'Documents',
  summary: 'Status of the load of a document',
  description: 'The stage of a load, its progress, and why it failed.',
  input: {
    collection_name: collectionName,
    id_value: idValue,
    stream: z.boolean().default(false).meta({
      description: '1: Server-Sent Events named `status`, at each change, until the load is over.',
    }),
  },
  output: StatusEnvelope,
  responses: {
    200: {
      description: 'The status, or the stream of it.',
      content: {
        'application/json': { schema: schemaRef('DocumentStatus') },
        'text/event-stream': {
          schema: { type: 'string', description: 'Each `data` is what `data` of the JSON response is.' },
        },
      },
    },
    204: { description: 'With stream=1 and Last-Event-ID: that was the last event; do not come back.' },
  },
  errors: [403, 404],
  isGated: false,
  async handle(deps: DocumentDeps, { collection_name, id_value, stream }, { principal, method, gated }) {
    const look = () => gated(() => onCurrentTables(() => documentStatus(deps, principal, collection_name, id_value)))
    return succeed({ send: (reply) => streamStatus(reply, look, stream && method !== 'HEAD') })
  },
})

const bytes = { '*/*': { schema: { type: 'string', format: 'binary' } } }

const fileEndpoint = declare({
  id: 'get_document_file',
  path: '/get_document_file',
  methods: ['GET'],
  tag: 'Documents',
  summary: 'Get the file as it was loaded',
  description: 'The bytes as they were loaded, whole or a range of them.',
  input: {
    collection_name: collectionName,
    id_value: idValue,
    inline: z.boolean().default(false).meta({ description: INLINE_DESCRIPTION }),
  },
  output: null,
  sendsFiles: true,
  responses: {
    200: { description: 'The file, as an attachment or for display.', content: bytes },
    206: { description: 'The bytes that the header Range asks for.', content: bytes },
    304: { description: 'If-None-Match names the ETag of these bytes.' },
  },
  errors: [403, 404, 412, 416],
  isGated: false,
  async handle(deps: DocumentDeps, { collection_name, id_value, inline }, { principal, gated }) {
    const found = await gated(() => onCurrentTables(() => readFile(deps, principal, collection_name, id_value)))
    if (!found.ok) return found
    const file = inline ? await toDisplay(found.value) : found
    if (!file.ok) return file
    return succeed({ send: (reply) => streamFile(reply, file.value) })
  },
})

export const fileEndpoints = [statusEndpoint, fileEndpoint]
