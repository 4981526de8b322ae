import { z } from 'zod'
import { jsonOf } from '../../kernel/json-of.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { Judgements } from './measure-ranking.ts'

/** A query of a test collection. */
export interface JudgedQuery {
  readonly id: string
  readonly text: string
}

const queryShape = z.object({ id: z.union([z.string(), z.number()]).transform(String), text: z.string() })

/**
 * `queries.jsonl`: one line of JSON for each query, with `id` and `text`. @returns the queries, or the error as a
 * sentence
 */
export function readQueries(text: string): Result<readonly JudgedQuery[], string> {
  const queries: JudgedQuery[] = []
  for (const [at, line] of linesOf(text)) {
    const parsed = queryShape.safeParse(jsonOf(line))
    if (!parsed.success) return fail(`line ${at + 1} of the queries is not a JSON object with id and text`)
    queries.push(parsed.data)
  }
  return succeed(queries)
}

/**
 * `qrels.tsv`: query id, doc_id, gain; or the four columns of TREC. @returns the judgements, or the error as a sentence
 */
export function readJudgements(text: string): Result<ReadonlyMap<string, Judgements>, string> {
  const judgements = new Map<string, Map<string, number>>()
  for (const [at, line] of linesOf(text)) {
    const columns = line.split(/\t|\s+/)
    const [query, docId, gain] = columns.length === 4 ? [columns[0], columns[2], columns[3]] : columns
    const isHeading = at === 0 && gain !== undefined && Number.isNaN(Number(gain))
    if (isHeading) continue
    if (query === undefined || docId === undefined || gain === undefined || Number.isNaN(Number(gain)))
      return fail(`line ${at + 1} of the judgements is not: query id, document id, gain`)
    const gains = judgements.get(query) ?? new Map<string, number>()
    judgements.set(query, gains.set(docId, Number(gain)))
  }
  return succeed(judgements)
}

function linesOf(text: string): readonly (readonly [number, string])[] {
  return [...text.split('\n').entries()].filter(([, line]) => line.trim() !== '')
}
