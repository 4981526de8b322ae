import { z } from 'zod'
import { SearchBody, SearchEnvelope } from '../../contract/search.ts'
import type { DocumentDeps } from '../../documents/document-deps.ts'
import { documentLimits } from '../../documents/document-limits.ts'
import type { Search } from '../../documents/search-documents.ts'
import type { Shape } from '../../documents/shape/shape-hits.ts'
import { readVector } from '../../documents/upload/read-vector.ts'
import { cleanText } from '../../extraction/clean-text.ts'
import { declare } from '../../http/endpoint/declare.ts'
import { json } from '../../http/endpoint/read-input.ts'
import { rejectValue } from '../../kernel/invalid-value.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { onCurrentTables } from '../../records/rights/on-current-tables.ts'
import { chunkResponse } from './document-responses.ts'
import { warningSentence } from './search-warnings.ts'

/** Dependencies of a search in addition to those of documents. */
export interface SearchDeps extends DocumentDeps {
  /** Mode of a search that names none. */
  readonly searchMode: NonNullable<Search['mode']>
}

const { queryUnits, collectionsOfSearch, minK, maxK, defaultK } = documentLimits
const { shape } = SearchBody

const input = {
  query: z.string().max(queryUnits).optional().meta({
    description: 'What is searched for. Required unless a vector is given.',
  }),
  k: z.int().min(minK).max(maxK).default(defaultK).meta({ description: 'Maximum number of chunks.' }),
  collection_names: z
    .array(z.string())
    .max(collectionsOfSearch)
    .default([])
    .meta({ description: 'Without it, or empty: every collection that the caller may read.' }),
  metadata: shape.metadata,
  mode: shape.mode,
  vector: json(shape.vector),
  weights: json(shape.weights),
  min_sequence: shape.min_sequence,
  highlight: shape.highlight,
  explain: shape.explain,
  details: shape.details,
  min_relevance: shape.min_relevance,
  group_by: shape.group_by,
  group_size: shape.group_size,
  collapse: shape.collapse,
  diversity: shape.diversity,
  context: shape.context,
}
type Input = z.output<z.ZodObject<typeof input>>

export const searchEndpoint = declare({
  id: 'get_relevant_documents',
  path: '/get_relevant_documents',
  methods: ['GET', 'POST'],
  tag: 'Search',
  summary: 'Find the chunks that answer a query, best first',
  description: 'Every parameter can be in the query string or in the body; the query string wins.',
  input,
  output: SearchEnvelope,
  errors: [403, 404, 503],
  limits: [
    { name: 'query', value: queryUnits, unit: 'UTF-16 units', status: 422 },
    { name: 'k', value: maxK, unit: 'chunks', status: 422 },
    { name: 'collection_names', value: collectionsOfSearch, unit: 'collections', status: 422 },
  ],
  isGated: true,
  async handle(deps: SearchDeps, sent, { principal }) {
    const beganMs = performance.now()
    const search = readSearch(sent, deps.searchMode)
    if (!search.ok) return search
    // With the stemmers of all languages, which a start does not need.
    const { searchDocuments } = await import('../../documents/search-documents.ts')
    const found = await onCurrentTables(() => searchDocuments(deps, principal, search.value))
    if (!found.ok) return found
    const { hits, mode, warnings, corrections, didYouMean } = found.value
    const beside = {
      mode,
      took_ms: Math.round((performance.now() - beganMs) * 100) / 100,
      ...(didYouMean === null ? {} : { corrections, did_you_mean: didYouMean }),
      ...(warnings.length === 0 ? {} : { warnings: warnings.map((each) => warningSentence(each, principal.language)) }),
    }
    return succeed({ data: hits.map((hit) => chunkResponse(hit, sent.details ?? false)), beside })
  },
})

/** Texts are stored without what nobody sees. A query that has nothing else is not one without a query: it finds nothing. */
const visibleOf = (query: string): string => cleanText(query).text || query

function readSearch(sent: Input, defaultMode: SearchDeps['searchMode']): Result<Search, Problem> {
  const vector = sent.vector === undefined ? succeed(null) : readVector(sent.vector)
  if (!vector.ok) return vector
  const withVector = sent.query === undefined ? 'vector' : 'hybrid'
  const mode = sent.mode ?? (vector.value === null ? defaultMode : withVector)
  if (mode === 'lexical' && vector.value !== null) return rejectValue('vector', 'a search with mode=lexical uses none')
  const weights = readWeights(sent.weights)
  if (!weights.ok) return weights
  if (sent.query === undefined && (mode !== 'vector' || vector.value === null)) return missing('query', 'given')
  if (sent.group_size !== undefined && sent.group_by === undefined)
    return missing('group_by', 'document, with group_size')
  const names = sent.collection_names
  return succeed({
    query: visibleOf(sent.query ?? ''),
    k: sent.k,
    shape: shapeOf(sent),
    collectionNames: names.length === 0 ? null : [...new Set(names.map((name) => name.normalize('NFC')))],
    filter: sent.metadata ?? '',
    mode,
    vector: vector.value,
    weights: weights.value,
    minSequence: sent.min_sequence ?? 0,
    highlight: sent.highlight ?? true,
    explain: sent.explain ?? false,
  })
}

/** How the found chunks are arranged in the response (docs/documents.md). */
function shapeOf({ min_relevance, group_by, group_size, collapse, diversity, context }: Input): Shape {
  return {
    minRelevance: min_relevance ?? 0,
    chunksOfDocument: group_by === undefined ? null : (group_size ?? 1),
    isCollapsed: collapse !== undefined,
    diversity: diversity ?? 0,
    context: context ?? 0,
  }
}

const Weights = z.strictObject({
  lexical: z.number().min(0).max(100).default(1),
  vector: z.number().min(0).max(100).default(1),
})

function readWeights(sent: unknown): Result<z.output<typeof Weights>, Problem> {
  const parsed = Weights.safeParse(sent ?? {})
  if (!parsed.success)
    return rejectValue('weights', 'it must be an object such as {"lexical":1,"vector":2}, with numbers from 0 to 100')
  const { lexical, vector } = parsed.data
  return lexical + vector > 0 ? succeed(parsed.data) : rejectValue('weights', 'one of them must be more than 0')
}

function missing(parameter: string, expected: string): Result<never, Problem> {
  return fail({ kind: 'bad-parameter', parameter, found: 'nothing', expected })
}
