/** A question of an evaluation. */
export interface EvaluationQuery {
  readonly id: string
  readonly text: string
}

/** How relevant a document is to a question: more than 0 is relevant. */
export interface Judgement {
  readonly query_id: string
  readonly doc_id: string
  readonly gain: number
}

/** Each from 0 to 1. */
export interface Measures {
  readonly ndcg10: number
  readonly map: number
  readonly recall10: number
  readonly recall100: number
}

export interface EvaluatedQuery extends Measures {
  readonly id: string
  /** The first 10 documents, best first. */
  readonly found: readonly string[]
  /** Relevant documents that are not among the first 100. */
  readonly missed: readonly string[]
}

/** Means over the questions with a relevant document. */
export interface Evaluated extends Measures {
  readonly questions: number
  readonly modes: readonly ('lexical' | 'hybrid' | 'vector')[]
  /** The worst first. */
  readonly queries: readonly EvaluatedQuery[]
}

export interface EvaluationInput {
  readonly queries: readonly EvaluationQuery[]
  readonly judgements: readonly Judgement[]
}

/** Limits of one request (GET /limits). */
const maxQueries = 200
const maxJudgements = 20_000

/** Questions with their judgements, in parts that the server takes. Judgements of a question stay together. */
export function partsOf({ queries, judgements }: EvaluationInput): readonly EvaluationInput[] {
  const byQuery = new Map<string, Judgement[]>(queries.map(({ id }) => [id, []]))
  for (const judgement of judgements) {
    const own = byQuery.get(judgement.query_id)
    if (own === undefined) throw new TypeError(`There is no query with the id ${judgement.query_id}.`)
    own.push(judgement)
  }
  const parts: { queries: EvaluationQuery[]; judgements: Judgement[] }[] = []
  for (const query of queries) {
    const own = byQuery.get(query.id) ?? []
    const last = parts.at(-1)
    const fits =
      last !== undefined && last.queries.length < maxQueries && last.judgements.length + own.length <= maxJudgements
    if (last !== undefined && fits) {
      last.queries.push(query)
      last.judgements.push(...own)
    } else parts.push({ queries: [query], judgements: [...own] })
  }
  return parts
}

/** The measures of all parts together. */
export function joined(parts: readonly Evaluated[]): Evaluated {
  const questions = parts.reduce((sum, part) => sum + part.questions, 0)
  const mean = (of: keyof Measures): number =>
    parts.reduce((sum, part) => sum + part[of] * part.questions, 0) / Math.max(questions, 1)
  return {
    questions,
    modes: [...new Set(parts.flatMap(({ modes }) => modes))].sort(),
    ndcg10: mean('ndcg10'),
    map: mean('map'),
    recall10: mean('recall10'),
    recall100: mean('recall100'),
    queries: parts
      .flatMap(({ queries }) => queries)
      .sort((one, other) => one.ndcg10 - other.ndcg10 || one.map - other.map),
  }
}
