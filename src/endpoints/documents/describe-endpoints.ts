import { z } from 'zod'
import { ChunkRangesEnvelope, MetadataKeysEnvelope } from '../../contract/document-reports.ts'
import type { DocumentDeps } from '../../documents/document-deps.ts'
import { documentLimits } from '../../documents/document-limits.ts'
import { listChunks } from '../../documents/list-chunks.ts'
import { listMetadataKeys } from '../../documents/list-metadata-keys.ts'
import { declare } from '../../http/endpoint/declare.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { onCurrentTables } from '../../records/rights/on-current-tables.ts'
import { collectionName, idValue } from './document-input.ts'

const { collectionsOfSearch, documentsOfMetadataKeys, maxMetadataKeys, maxValuesOfMetadataKey, maxChunkRanges } =
  documentLimits

const keysEndpoint = declare({
  id: 'get_list_of_metadata_keys',
  path: '/get_list_of_metadata_keys',
  methods: ['GET'],
  tag: 'Collections',
  summary: 'List the metadata keys that a filter can name, with their types and frequent values',
  description: `Keys of the documents that the caller may see, those of most documents first. Of large collections a part is read: ${documentsOfMetadataKeys} documents in all, by doc_id.`,
  input: {
    collection_names: z
      .array(z.string())
      .max(collectionsOfSearch)
      .default([])
      .meta({ description: 'Without it, or empty: every collection that the caller may read.' }),
    limit: z.int().min(1).max(maxMetadataKeys).default(100).meta({ description: 'Maximum number of keys.' }),
    values: z
      .int()
      .min(0)
      .max(maxValuesOfMetadataKey)
      .default(20)
      .meta({ description: 'Maximum number of values of each key. Long values are left out.' }),
  },
  output: MetadataKeysEnvelope,
  errors: [403, 404],
  limits: [
    { name: 'limit of get_list_of_metadata_keys', value: maxMetadataKeys, unit: 'keys', status: 422 },
    { name: 'values of get_list_of_metadata_keys', value: maxValuesOfMetadataKey, unit: 'values', status: 422 },
    {
      name: 'collection_names of get_list_of_metadata_keys',
      value: collectionsOfSearch,
      unit: 'collections',
      status: 422,
    },
  ],
  isGated: true,
  async handle(deps: DocumentDeps, { collection_names: names, limit, values }, { principal }) {
    const listed = await onCurrentTables(() =>
      listMetadataKeys(deps, principal, {
        collectionNames: names.length === 0 ? null : [...new Set(names.map((name) => name.normalize('NFC')))],
        maxKeys: limit,
        maxValues: values,
      }),
    )
    if (!listed.ok) return listed
    const { keys, documents, isComplete } = listed.value
    const data = keys.map((each) => ({
      key: each.key,
      types: [...each.types],
      documents: each.documents,
      distinct_values: each.distinctValues,
      values: [...each.values],
    }))
    return succeed({ data, beside: { documents, complete: isComplete } })
  },
})

const chunksEndpoint = declare({
  id: 'get_document_chunks',
  path: '/get_document_chunks',
  methods: ['GET'],
  tag: 'Documents',
  summary: 'List where the chunks of a document begin and end',
  description: 'Ranges in the extracted text that get_content_by_tag returns, in its order. Chunks may overlap.',
  input: {
    collection_name: collectionName,
    id_value: idValue,
    limit: z.int().min(1).max(maxChunkRanges).default(1_000).meta({ description: 'Chunks of a page.' }),
    cursor: z.string().optional().meta({ description: '`next_cursor` of the previous page.' }),
  },
  output: ChunkRangesEnvelope,
  errors: [403, 404],
  limits: [{ name: 'limit of get_document_chunks', value: maxChunkRanges, unit: 'chunks', status: 422 }],
  isGated: true,
  async handle(deps: DocumentDeps, { collection_name, id_value, limit, cursor }, { principal }) {
    const after = readCursor(cursor)
    if (!after.ok) return after
    const wanted = { collectionName: collection_name, docId: id_value, limit, after: after.value }
    const page = await onCurrentTables(() => listChunks(deps, principal, wanted))
    if (!page.ok) return page
    const { version, chunks, next } = page.value
    const data = chunks.map((chunk) => ({
      chunk_index: chunk.chunkIndex,
      from: chunk.from,
      to: chunk.to,
      page: chunk.page,
      page_to: chunk.pageTo,
      heading_path: [...chunk.headingPath],
    }))
    return succeed({ data, beside: { version, next_cursor: next === null ? null : String(next) } })
  },
})

/** A cursor is the index of the last chunk. */
function readCursor(sent: string | undefined): Result<number, Problem> {
  if (sent === undefined) return succeed(-1)
  if (/^\d{1,9}$/.test(sent)) return succeed(Number(sent))
  return fail({ kind: 'bad-parameter', parameter: 'cursor', found: sent, expected: 'next_cursor of the page before' })
}

export const describeEndpoints = [keysEndpoint, chunksEndpoint]
