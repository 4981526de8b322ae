import type { Ranking } from '../ranking/rank-chunks.ts'
import type { LexicalSearch } from '../segments/index-change.ts'
import { commonTo, findDocument, type Segment, u32 } from '../segments/segment.ts'
import type { SegmentSet } from '../segments/segment-set.ts'
import { chooseBest, proposedOf } from './choose-chunks.ts'
import type { PackedRow } from './chunk-rows.ts'
import { type ChunkTables, rowsOfPage } from './chunk-tables.ts'
import { learnRemoved } from './learn-removed.ts'
import { chunksIn, type PartSource, rankOnly, readCandidates, type TableSearch } from './read-candidates.ts'
import type { TablePart } from './removed-terms.ts'

/** Chunks that are chosen among those that LanceDB proposes at first: as many as the best need to be among them, for `k` of up to 50. */
const minChosen = 200
/** How many more are chosen each time that these do not settle a search; after two times every chunk that matches is read. */
const deeper = 8
const maxDepth = 2

/**
 * As `SegmentSet.search`, with segments whose postings are in tables. LanceDB proposes chunks, which are scored like all others: by the
 * counts of the whole collection, and together with the segments in memory. If every chunk that contains a word is chosen, the
 * ranking is that of segments in memory; otherwise a chunk that LanceDB's own scores put far behind may be missing.
 *
 * Rows are read page by page, and only the best are kept: no search takes more than a few MB of a table into memory.
 *
 * @param current the state of this thread, which may be another one after each wait
 */
export async function searchTables(
  current: () => SegmentSet,
  tables: ChunkTables,
  search: LexicalSearch,
): Promise<Ranking> {
  for (let depth = 0; ; ) {
    const parts = current().tablePartsOf(search)
    if (parts.length === 0) return current().search(search)
    if (await learnRemoved(tables, parts)) continue
    const request: TableSearch = { current, tables, search, parts }
    const sources = await sourcesOf(request, depth)
    const rows = await readCandidates(request, sources)
    // A merge or a removal in between: the chunks belong to another state.
    if (rows === null) continue
    const ranking = rankOnly(request, rows, { isOnlyTables: false })
    if (isSettled(request, sources, { rows, ranking })) return ranking
    depth++
  }
}

/** What is read of each table. */
async function sourcesOf(request: TableSearch, depth: number): Promise<readonly PartSource[]> {
  const { tables, parts, search } = request
  const sources = parts.map((part) => fewOf(part, search.options.allowed))
  const open = parts.filter((_, at) => sources[at] === undefined)
  if (depth > maxDepth)
    return parts.map((part, at) => sources[at] ?? { ...everything, pages: everyMatch(request, part) })
  const wanted = Math.max(minChosen, chosenFor(search.options.k)) * deeper ** depth
  const limit = proposedOf(open.length, wanted)
  const proposed = await Promise.all(
    open.map(({ segment, ordinals }) => tables.propose(segment.table, ordinals, limit)),
  )
  const chosen = chooseBest(open, proposed, { requested: limit, wanted })
  return parts.map((part, at) => {
    const { chunks, scores, areAll } = chosen[open.indexOf(part)] ?? none
    const cut = areAll ? null : { chunk: chunks.at(-1) ?? 0, score: scores.at(-1) ?? 0 }
    const numbers = allowedOf(part.segment, chunks, search.options.allowed)
    if (cut !== null && !numbers.includes(cut.chunk)) numbers.push(cut.chunk)
    const pages = [Uint32Array.from(numbers).sort()]
    return sources[at] ?? { pages, count: numbers.length, cut, scoreOf: new Map(zip(chunks, scores)) }
  })
}

/** Four for each of the first hundred, and two for each of the others: the last ones of a ranking are less certain. */
function chosenFor(k: number): number {
  return 2 * (k + Math.min(k, 100))
}

const none = { chunks: new Uint32Array(0), scores: new Float32Array(0), areAll: true }
const everything = { count: Number.POSITIVE_INFINITY, cut: null, scoreOf: new Map<number, number>() }

function* zip(chunks: Uint32Array, scores: Float32Array): Generator<readonly [number, number]> {
  for (const [at, chunk] of chunks.entries()) yield [chunk, scores[at] ?? 0]
}

/** Where a filter allows few chunks of a table, or the table has no term of the search, LanceDB is not needed. */
function fewOf({ segment, ordinals }: TablePart, allowed: Float64Array | undefined): PartSource | undefined {
  if (ordinals.length === 0) return { ...everything, pages: [], count: 0 }
  if (allowed === undefined) return undefined
  const chunks: number[] = []
  for (const document of commonTo(segment.documentIds, allowed)) {
    for (const chunk of chunksIn(segment, document)) chunks.push(chunk)
    if (chunks.length > rowsOfPage) return undefined
  }
  return { ...everything, pages: [Uint32Array.from(chunks)], count: chunks.length }
}

async function* everyMatch(
  { tables, search }: TableSearch,
  { segment, ordinals }: TablePart,
): AsyncGenerator<Uint32Array> {
  for await (const chunks of tables.matching(segment.table, ordinals, segment.chunkCount))
    yield Uint32Array.from(allowedOf(segment, chunks, search.options.allowed))
}

/** Other chunks need not be read. */
function allowedOf(segment: Segment, chunks: Uint32Array, allowed: Float64Array | undefined): number[] {
  if (allowed === undefined) return [...chunks]
  const ascending = chunks.toSorted()
  const found: number[] = []
  let at = 0
  for (const document of commonTo(segment.documentIds, allowed)) {
    while (at < ascending.length && u32(ascending, at) < u32(segment.firstChunk, document)) at++
    for (; at < ascending.length && u32(ascending, at) < u32(segment.firstChunk, document + 1); at++)
      found.push(u32(ascending, at))
    if (at === ascending.length) break
  }
  return found
}

interface Found {
  readonly rows: readonly (readonly PackedRow[])[]
  readonly ranking: Ranking
}

function isSettled(request: TableSearch, sources: readonly PartSource[], found: Found): boolean {
  if (sources.every(({ cut }) => cut === null)) return true
  if (found.ranking.ranked.length < request.search.options.k) return false
  return !includesLast(request, sources, found.ranking) && !isReachedByLast(request, sources, found)
}

/**
 * Whether a chunk of the ranking is one of the last that were chosen: others with LanceDB's score of it, for which the order of ties
 * decides, may not be chosen.
 */
function includesLast({ parts }: TableSearch, sources: readonly PartSource[], { ranked }: Ranking): boolean {
  return parts.some(({ segment }, part) => {
    const { cut = null, scoreOf } = sources[part] ?? everything
    if (cut === null) return false
    return ranked.some(({ documentId, chunkIndex }) => {
      const document = findDocument(segment, documentId)
      return document >= 0 && (scoreOf.get(u32(segment.firstChunk, document) + chunkIndex) ?? 0) <= cut.score
    })
  })
}

/**
 * Whether the last chunk that was chosen of a table would be in the ranking but for the order of ties, if it may not be found: others
 * like it may be before those of other tables and of memory.
 */
function isReachedByLast(request: TableSearch, sources: readonly PartSource[], { rows, ranking }: Found): boolean {
  const last = rows.map((own, part) => own.filter(({ chunk }) => chunk === sources[part]?.cut?.chunk))
  const { pairs, phrases } = request.search.options
  const options = { k: 1, ...(pairs && { pairs }), ...(phrases && { phrases }) }
  const [best] = rankOnly(request, last, { isOnlyTables: true, areAllFound: true, options }).ranked
  return best !== undefined && best.score >= (ranking.ranked.at(-1)?.score ?? 0)
}
