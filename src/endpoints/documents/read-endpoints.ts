import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { ContentBody, ContentEnvelope, DocumentNamesEnvelope } from '../../contract/documents.ts'
import type { DocumentDeps } from '../../documents/document-deps.ts'
import { documentLimits } from '../../documents/document-limits.ts'
import {
  type DocumentDetails,
  type ListPage,
  listDocumentDetails,
  listDocumentNames,
} from '../../documents/list-documents.ts'
import { readContent } from '../../documents/read-content.ts'
import { declare } from '../../http/endpoint/declare.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { onCurrentTables } from '../../records/rights/on-current-tables.ts'
import { collectionName, cursor, details } from './document-input.ts'
import { detailsResponse } from './document-responses.ts'
import { cursorOf, streamContent } from './stream-content.ts'
import { type ListedPage, streamList } from './stream-list.ts'

const contentEndpoint = declare({
  id: 'get_content_by_tag',
  path: '/get_content_by_tag',
  methods: ['GET', 'POST'],
  tag: 'Documents',
  summary: 'Read the whole texts that a filter selects, by doc_id',
  description: 'Every parameter can be in the query string or in the body; the query string wins.',
  input: {
    collection_name: collectionName,
    tag_info: ContentBody.shape.tag_info,
    limit: z
      .int()
      .min(1)
      .max(documentLimits.maxContentLimit)
      .default(documentLimits.defaultContentLimit)
      .meta({ description: 'Documents of a page.' }),
    cursor,
  },
  output: ContentEnvelope,
  errors: [403, 404],
  limits: [
    { name: 'limit of get_content_by_tag', value: documentLimits.maxContentLimit, unit: 'documents', status: 422 },
  ],
  isGated: false,
  async handle(deps: DocumentDeps, { collection_name, tag_info, limit, cursor: sent }, { principal, gated }) {
    const after = readCursor(sent)
    if (!after.ok) return after
    const wanted = { collectionName: collection_name, filter: tag_info ?? '', limit, after: after.value }
    const page = await gated(() => onCurrentTables(() => readContent(deps, principal, wanted)))
    if (!page.ok) return page
    return succeed({ send: async (reply) => succeed(await streamContent(reply, page.value)) })
  },
})

const namesEndpoint = declare({
  id: 'get_list_of_documents_names',
  path: '/get_list_of_documents_names',
  methods: ['GET'],
  tag: 'Documents',
  summary: 'List the documents of a collection by doc_id',
  description: 'Names, or objects with details=1. Documents that the caller may not see are left out.',
  input: {
    collection_name: collectionName,
    tag_info: ContentBody.shape.tag_info,
    details,
    limit: z
      .int()
      .min(1)
      .max(documentLimits.maxListLimit)
      .optional()
      .meta({ description: 'Documents of a page; without it the list is whole.' }),
    cursor,
  },
  output: DocumentNamesEnvelope,
  errors: [403, 404],
  limits: [
    {
      name: 'limit of get_list_of_documents_names',
      value: documentLimits.maxListLimit,
      unit: 'documents',
      status: 422,
    },
  ],
  isGated: false,
  async handle(
    deps: DocumentDeps,
    { collection_name, tag_info, details: isDetailed, limit, cursor: sent },
    { principal, gated },
  ) {
    const start = readCursor(sent)
    if (!start.ok) return start
    const wanted = {
      collectionName: collection_name,
      filter: tag_info ?? '',
      limit: limit ?? documentLimits.maxListLimit,
    }
    const readPage = async (after: string | null): Promise<Result<ListedPage, Problem>> => {
      const request = { ...wanted, after }
      const listed = await gated(() =>
        onCurrentTables<Result<ListPage<string | DocumentDetails>, Problem>>(() =>
          isDetailed ? listDocumentDetails(deps, principal, request) : listDocumentNames(deps, principal, request),
        ),
      )
      if (!listed.ok) return listed
      const { documents, next } = listed.value
      return succeed({ data: documents.map((each) => (typeof each === 'string' ? each : detailsResponse(each))), next })
    }
    const page = await readPage(start.value)
    if (!page.ok) return page
    const { data, next } = page.value
    if (limit !== undefined) return succeed({ data, beside: { next_cursor: cursorOf(next) } })
    if (next === null) return succeed({ data })
    return succeed({ send: async (reply) => succeed(await streamList(reply, page.value, readPage)) })
  },
})

/** Callers may write a cursor themselves, so it is treated as data and must be storable in the database. */
function readCursor(sent: string | undefined): Result<string | null, Problem> {
  if (sent === undefined) return succeed(null)
  const decoded = Buffer.from(sent, 'base64url')
  if (decoded.toString('base64url') === sent && isUtf8(decoded) && !decoded.includes(0))
    return succeed(decoded.toString())
  return fail({ kind: 'bad-parameter', parameter: 'cursor', found: sent, expected: 'next_cursor of the page before' })
}

export const readEndpoints = [contentEndpoint, namesEndpoint]
