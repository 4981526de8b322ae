import { EvaluateBody, EvaluatedEnvelope, evaluationLimits } from '../../contract/document-reports.ts'
import { evaluateCollection } from '../../documents/evaluate/evaluate-collection.ts'
import { readCollectionName } from '../../documents/upload/read-collection-name.ts'
import { declare } from '../../http/endpoint/declare.ts'
import { rejectValue } from '../../kernel/invalid-value.ts'
import { succeed } from '../../kernel/result.ts'
import { onCurrentTables } from '../../records/rights/on-current-tables.ts'
import type { SearchDeps } from './search-endpoint.ts'
import { searchesOf } from './searches-of-request.ts'

export const evaluateEndpoint = declare({
  id: 'collections.evaluate',
  path: '/collections/{name}/evaluate',
  methods: ['POST'],
  tag: 'Search',
  summary: 'Measure how well searches of a collection answer judged questions',
  description:
    'nDCG@10, MAP, recall@10 and recall@100, as `docket documents evaluate` measures them, over the documents that the caller may see. It changes nothing. Questions without a relevant document do not count.',
  input: {},
  body: EvaluateBody,
  inPath: { name: 'Name of the collection.' },
  output: EvaluatedEnvelope,
  errors: [403, 404, 503],
  limits: [
    { name: 'queries of an evaluation', value: evaluationLimits.queries, unit: 'queries', status: 422 },
    { name: 'judgements of an evaluation', value: evaluationLimits.judgements, unit: 'judgements', status: 422 },
  ],
  isGated: false,
  async handle(deps: SearchDeps, { body }, request) {
    const name = readCollectionName(request.path['name'], 'name')
    if (!name.ok) return name
    const judgements = new Map<string, Map<string, number>>(body.queries.map(({ id }) => [id, new Map()]))
    if (judgements.size < body.queries.length) return rejectValue('queries', 'two of them have the same id')
    for (const { query_id, doc_id, gain } of body.judgements) {
      const gains = judgements.get(query_id)
      if (gains === undefined) return rejectValue('judgements', `there is no query with the id ${query_id}`)
      gains.set(doc_id, gain)
    }
    // With the stemmers of all languages, which a start does not need.
    const { searchDocuments } = await import('../../documents/search-documents.ts')
    const evaluated = await evaluateCollection(deps, request.principal, {
      collectionName: name.value,
      queries: body.queries,
      judgements,
      mode: body.mode ?? deps.searchMode,
      search: searchesOf(request, (principal, search) =>
        onCurrentTables(() => searchDocuments(deps, principal, search)),
      ),
    })
    if (!evaluated.ok) return evaluated
    const { queries, modes, perQuery, ...measures } = evaluated.value
    const data = {
      collection_name: name.value,
      questions: queries,
      modes: [...modes],
      ...measures,
      queries: perQuery.map(({ found, missed, ...each }) => ({ ...each, found: [...found], missed: [...missed] })),
    }
    return succeed({ data })
  },
})
