import { z } from 'zod'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { callModel, type ModelAddress, type ModelError } from './call-model.ts'

/** An address with the `/rerank` protocol of Cohere, Jina, vLLM, TEI and others. */
export interface RerankAddress extends ModelAddress {
  /** null: the address has only one model. */
  readonly model: string | null
  readonly timeoutMs: number
}

/** TEI returns a bare list with `score`; the others wrap it and use relevance_score. */
const Scored = z.object({ index: z.int(), relevance_score: z.number().optional(), score: z.number().optional() })
const RerankResponse = z.union([z.object({ results: z.array(Scored) }), z.array(Scored)])

const bytesOfResult = 65_536

/**
 * The relevance of each text to the query. Never throws.
 *
 * @returns a score for each text, in the order of the texts; only the order of the scores is meaningful
 */
export async function rerankTexts(
  address: RerankAddress,
  query: string,
  texts: readonly string[],
): Promise<Result<readonly number[], ModelError>> {
  const { model, timeoutMs } = address
  const response = await callModel(address, {
    body: {
      ...(model === null ? {} : { model }),
      query,
      documents: texts,
      top_n: texts.length,
      return_documents: false,
    },
    timeoutMs,
    // Some servers return the texts although they were not requested.
    maxResponseBytes: texts.length * bytesOfResult,
  })
  if (!response.ok) return response
  const parsed = RerankResponse.safeParse(response.value)
  if (!parsed.success) return wrong('its answer has no results')
  const results = Array.isArray(parsed.data) ? parsed.data : parsed.data.results
  const scores = new Map(results.map(({ index, relevance_score, score }) => [index, relevance_score ?? score]))
  const all = texts.map((_, at) => scores.get(at))
  if (results.length !== texts.length || !all.every((score) => score !== undefined))
    return wrong(`it did not give each of ${texts.length} texts one score`)
  return succeed(all)
}

function wrong(detail: string): Result<never, ModelError> {
  return fail({ kind: 'wrong-response', detail })
}
