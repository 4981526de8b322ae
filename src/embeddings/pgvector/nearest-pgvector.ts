import { type Sql, sql } from '../../kernel/sql.ts'
import { type Candidate, compareCandidates } from '../in-memory/nearest-candidates.ts'
import { boundOfOthers, candidatesFor, documentCounts, moreCandidates, nearestAmong } from '../nearest-exact.ts'
import { unitLength } from '../similarity.ts'
import type { NearChunk, NearSearch } from '../vector-engine.ts'
import type { PgvectorModel } from './fill-pgvector.ts'
import { halfMargin, halfText } from './half-vectors.ts'
import { type Graphs, maxGraphCandidates } from './vector-graphs.ts'

/** A candidate of a graph that does not count was found before rights, filter and state were checked. */
interface NearRow {
  readonly collection_id: number
  readonly document_id: string
  readonly doc_id: string | null
  readonly chunk_index: number
  /** null: the vector is too long for pgvector. */
  readonly distance: number | null
  readonly counts: boolean
}

interface CandidateRequest {
  readonly search: NearSearch
  /** Collections that are searched by their graphs; all others are scanned. */
  readonly byGraph: readonly number[]
  readonly count: number
}

/**
 * The k nearest chunks. Rights, filter and state are part of the statement. A collection that the caller sees whole is searched by
 * its graph, if it has one: this is approximate. Everything else is a scan of the documents that count, so hidden vectors have no
 * effect, and its result equals a comparison of everything. The exact vectors decide among the candidates.
 */
export async function nearestPgvector(
  model: PgvectorModel,
  graphs: Graphs,
  search: NearSearch,
): Promise<readonly NearChunk[] | undefined> {
  const { k, vector } = search
  let byGraph = search.wholeCollectionIds.filter((id) => graphs.has(id, vector.length))
  for (let count = candidatesFor(k); ; ) {
    if (count > maxGraphCandidates) byGraph = []
    const rows = await readCandidates(model, { search, byGraph, count })
    const starved = byGraph.filter((id) => isStarved(rows, id, k))
    if (starved.length > 0) {
      byGraph = byGraph.filter((id) => !starved.includes(id))
      continue
    }
    const { candidates, scanned } = candidatesOf(rows, byGraph, vector)
    const found = await nearestAmong(model, search, candidates, { others: boundOfOthers(scanned, count) })
    if (found !== undefined) return found
    count = moreCandidates(count)
  }
}

/** Too few of the candidates count, or the graph returned few, as it does while it contains deleted vectors. */
function isStarved(rows: readonly NearRow[], collectionId: number, k: number): boolean {
  return rows.filter(({ collection_id, counts }) => collection_id === collectionId && counts).length < k
}

function candidatesOf(rows: readonly NearRow[], byGraph: readonly number[], vector: Float32Array) {
  const margin = halfMargin(unitLength(vector))
  const bounded = rows
    .filter(({ counts }) => counts)
    .map((row) => ({ isScanned: !byGraph.includes(row.collection_id), candidate: candidateOf(row, margin) }))
    .sort((one, other) => compareCandidates(one.candidate, other.candidate))
  const scanned = bounded.filter(({ isScanned }) => isScanned)
  return {
    candidates: bounded.map(({ candidate }) => candidate),
    scanned: scanned.map(({ candidate }) => candidate),
  }
}

function candidateOf({ document_id, doc_id, chunk_index, distance }: NearRow, margin: number): Candidate {
  const found = { documentId: Number(document_id), docId: doc_id ?? '', chunkIndex: chunk_index }
  if (distance === null) return { ...found, upper: 2, lower: -2 }
  return { ...found, upper: margin - distance, lower: -distance - margin }
}

async function readCandidates(
  { database, modelId, types }: PgvectorModel,
  { search, byGraph, count }: CandidateRequest,
): Promise<readonly NearRow[]> {
  const { length } = search.vector
  const text = halfText(unitLength(search.vector))
  const fitting = (embedding: Sql<unknown>): Sql<unknown> =>
    text === null ? sql`${embedding} is null` : sql`${types.numbersOf(embedding)} = ${sql.lit(length)}`
  const distance = (embedding: Sql<unknown>): Sql<number | null> =>
    text === null
      ? sql`null::float8`
      : sql`${embedding}::${types.halfvec(length)} ${types.product} (select q.vector from query q)`
  const chunk = sql`c.embedding`
  const scanned = search.collectionIds.filter((id) => !byGraph.includes(id))
  const scan = sql`
    (select c.collection_id, c.document_id, d.doc_id, c.chunk_index, ${distance(chunk)} as distance, true as counts
    from docket_documents.document d
    join docket_vectors.chunk c on c.model_id = ${modelId} and c.document_id = d.id
    where ${documentCounts({ ...search, collectionIds: scanned })} and ${fitting(chunk)}
    order by distance ${text === null ? sql`` : sql`limit ${count}`})`
  // The planner uses the graph of a collection if the numbers of its condition are in the text.
  const byGraphs = byGraph.map(
    (id) => sql`
    select n.collection_id, n.document_id, d.doc_id, n.chunk_index, n.distance, d.id is not null as counts
    from (select c.collection_id, c.document_id, c.chunk_index, ${distance(chunk)} as distance
      from docket_vectors.chunk c
      where c.model_id = ${sql.lit(modelId)} and c.collection_id = ${sql.lit(id)} and ${fitting(chunk)}
      order by ${distance(chunk)} limit ${count}) n
    left join docket_documents.document d on d.id = n.document_id and ${documentCounts(search)}`,
  )
  const query = sql<NearRow>`
    with query as materialized (select ${text}::${types.halfvec()} as vector)
    ${sql.join([...(scanned.length > 0 ? [scan] : []), ...byGraphs], sql` union all `)}`
  const rows = byGraph.length === 0 ? database.rows(query) : withCandidates(database, count, query)
  return (await rows).map((row) => ({ ...row, distance: row.distance === null ? null : Number(row.distance) }))
}

/** A graph returns at most as many chunks as it keeps candidates. */
function withCandidates(
  database: PgvectorModel['database'],
  count: number,
  query: Sql<NearRow>,
): Promise<readonly NearRow[]> {
  return database.inTransaction(async (session) => {
    await session.rows(sql`select set_config('hnsw.ef_search', ${String(count)}, true)`)
    return session.rows(query)
  })
}
