import type { FastifyInstance } from 'fastify'
import type { Catalog } from '../../catalog/catalog.ts'
import {
  MAX_BRACKET_LEVELS,
  MAX_CONDITIONS,
  MAX_HOPS,
  MAX_ORDERS,
  MAX_QUERY_UNITS,
} from '../../condition/query-reader.ts'
import type { LimitOnTheWire } from '../../contract/limits.ts'
import { documentLimits } from '../../documents/document-limits.ts'
import { defaultExtractionLimits } from '../../extraction/extraction-limits.ts'
import { defaultExtractorPoolOptions } from '../../extraction/process/extractor-pool.ts'
import { succeed } from '../../kernel/result.ts'
import { MAX_DEPENDENTS } from '../../records/delete/collect-dependents.ts'
import { bulkLimitOf } from '../../records/page-limit.ts'
import { MAX_REFERENCES } from '../../records/plan/walk-budget.ts'
import { maxUnsentBytes } from '../answer/unsent-responses.ts'
import type { HttpParts } from '../http-parts.ts'
import { maxHeadBytes, maxTargetBytes } from '../request/limits.ts'
import type { GateLimits } from '../request/statement-gate.ts'
import { answering } from './answering.ts'

interface LimitsDeps {
  readonly catalog: () => Promise<Catalog>
  readonly gate: GateLimits
}

/** `/limits`: what a request may hold, so that programs need not find out by being refused. */
export function addLimitsRoute(app: FastifyInstance, parts: HttpParts, { catalog, gate }: LimitsDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/limits',
    handler: answering(parts.observe, async () =>
      succeed(publishedLimits(parts.settings, bulkLimitOf(await catalog()), gate)),
    ),
  })
}

type Line = readonly [name: string, value: number, unit: string, status: number]

/** Taken from where they are held to, never written down twice. */
function publishedLimits(
  { maxBodyBytes, requestsPerSecond }: HttpParts['settings'],
  bulkRecords: number,
  gate: GateLimits,
): readonly LimitOnTheWire[] {
  return [
    ...documentLines.map(lineOf('documents')),
    ...recordLines(maxBodyBytes, bulkRecords).map(lineOf('records')),
    ...requestLines.map(lineOf('all')),
    ...loadLines(requestsPerSecond, gate).map(lineOf('all')),
  ]
}

const lineOf =
  (service: LimitOnTheWire['service']) =>
  ([name, value, unit, status]: Line): LimitOnTheWire => ({ service, name, value, unit, status })

const documents = documentLimits
const extraction = defaultExtractionLimits
const { maxMemoryMb, maxSeconds } = defaultExtractorPoolOptions

const documentLines: readonly Line[] = [
  ['file', documents.fileBytes, 'bytes', 413],
  ['text', documents.textBytes, 'bytes of UTF-8', 413],
  ['metadata', documents.metadataBytes, 'bytes of JSON', 422],
  ['text with a vector', documents.textWithVectorUnits, 'UTF-16 units', 422],
  ['vector', documents.vectorNumbers, 'numbers', 422],
  ['metadata keys', documents.metadataKeys, 'keys', 422],
  ['doc_id', documents.docIdBytes, 'bytes of UTF-8', 422],
  ['file name', documents.fileNameUnits, 'UTF-16 units', 422],
  ['collection_name', documents.collectionNameUnits, 'UTF-16 units', 400],
  ['text of a file', extraction.maxTextUnits, 'UTF-16 units', 422],
  ['pages, slides or sheets of a file', extraction.maxPages, 'pages', 422],
  ['entries of an archive', extraction.maxArchiveEntries, 'entries', 422],
  ['unpacked archive', extraction.maxArchiveBytes, 'bytes', 422],
  ['unpacked to packed bytes of an archive entry', extraction.maxArchiveRatio, 'times', 422],
  ['memory for reading a file', maxMemoryMb, 'MB', 422],
  ['time for reading a file', maxSeconds, 'seconds', 422],
  ['query', documents.queryUnits, 'UTF-16 units', 422],
  ['k', documents.mostK, 'chunks', 422],
  ['collection_names', documents.collectionsOfSearch, 'collections', 422],
  ['limit of get_list_of_documents_names', documents.mostListLimit, 'documents', 422],
  ['limit of get_content_by_tag', documents.mostContentLimit, 'documents', 422],
]

const recordLines = (bodyBytes: number, bulkRecords: number): readonly Line[] => [
  ['body', bodyBytes, 'bytes', 413],
  ['references that a request walks through', MAX_REFERENCES, 'references', 422],
  ['records of a bulk request', bulkRecords, 'records', 422],
  ['records that a delete changes or deletes besides its own', MAX_DEPENDENTS, 'records', 422],
]

/** Per process. The rate is listed when it is limited. */
const loadLines = (requestsPerSecond: number, gate: GateLimits): readonly Line[] => [
  ['requests of a user that run statements at once', gate.perUser, 'requests', 429],
  ['wait for other requests of the user', gate.maxWaitMs, 'ms', 429],
  ['unsent responses of a user', maxUnsentBytes / 2, 'bytes', 429],
  ['unsent responses of all users', maxUnsentBytes, 'bytes', 429],
  ...(requestsPerSecond === 0 ? [] : [['requests of a user in a second', requestsPerSecond, 'requests', 429] as const]),
]

/** Conditions are one language: `sysparm_query`, and the filters of documents. */
const requestLines: readonly Line[] = [
  ['encoded query', MAX_QUERY_UNITS, 'UTF-16 units', 400],
  ['conditions of an encoded query', MAX_CONDITIONS, 'conditions', 400],
  ['brackets of an encoded query', MAX_BRACKET_LEVELS, 'levels', 400],
  ['orders of an encoded query', MAX_ORDERS, 'orders', 400],
  ['dots of a field', MAX_HOPS, 'dots', 400],
  ['URL', maxTargetBytes, 'bytes', 414],
  ['URL and headers', maxHeadBytes, 'bytes', 431],
]
