import type { Ranking } from '../ranking/rank-chunks.ts'
import { commonTo, findDocument, type Segment, u32 } from '../segments/segment.ts'
import type { LexicalSearch, SegmentSet } from '../segments/segment-set.ts'
import { CandidateView } from './chunk-rows.ts'
import type { ChunkTables, TableRow } from './chunk-tables.ts'
import type { TablePart } from './removed-terms.ts'

/** Chunks that LanceDB proposes of each table at first, and for each returned chunk. */
const minProposed = 400
const proposedForEach = 2
/** Chunks that are read by their numbers instead of being proposed, where a filter allows only these. */
const maxRead = 2_000
const deeper = 8

/** What LanceDB proposed of one segment. */
interface Proposed {
  readonly rows: readonly TableRow[]
  /** No other chunk of the segment can be found. */
  readonly areAll: boolean
}

/** Arrays as long as a segment, for the next search of it. */
const views = new WeakMap<Segment, CandidateView>()

/**
 * As `SegmentSet.search`, with segments whose postings are in tables. LanceDB proposes chunks, which are scored like all others: by the
 * counts of the whole collection, and together with the segments in memory. If it proposes every chunk that contains a word, the
 * ranking is that of segments in memory; otherwise a chunk that LanceDB's own scores put far behind may be missing.
 *
 * @param current the state of this thread, which may be another one after each wait
 */
export async function searchTables(
  current: () => SegmentSet,
  tables: ChunkTables,
  search: LexicalSearch,
): Promise<Ranking> {
  let max = Math.max(minProposed, search.options.k * proposedForEach)
  for (;;) {
    const needed = current().tablePartsOf(search)
    if (needed.length === 0) return current().search(search)
    if (await learnRemoved(tables, needed)) continue
    const limits = { allowed: search.options.allowed, max }
    const proposed = await Promise.all(needed.map((part) => propose(tables, part, limits)))
    // A merge or a removal in between: the chunks belong to another state.
    if (!isSame(needed, current().tablePartsOf(search))) continue
    const candidates = new Map(
      needed.map(({ segment, ordinals }, at) => [
        segment,
        viewOf(segment).segmentOf(ordinals, proposed[at]?.rows ?? []),
      ]),
    )
    const ranking = current().search(search, candidates)
    const isFull = ranking.ranked.length >= search.options.k
    if (proposed.every(({ areAll }) => areAll) || (isFull && !reachesCut(ranking, needed, proposed))) return ranking
    max *= deeper
  }
}

/**
 * Whether a chunk of the ranking is one of the last that LanceDB proposed: others with its score, for which the order of ties decides, may
 * not be proposed.
 */
function reachesCut({ ranked }: Ranking, parts: readonly TablePart[], proposed: readonly Proposed[]): boolean {
  return parts.some(({ segment }, part) => {
    const { rows = [], areAll = true } = proposed[part] ?? {}
    if (areAll) return false
    const scores = new Map(rows.map(({ chunk, score }) => [chunk, score]))
    const cut = rows.reduce((min, { score }) => Math.min(min, score), Number.POSITIVE_INFINITY)
    return ranked.some(({ documentId, chunkIndex }) => {
      const document = findDocument(segment, documentId)
      return document >= 0 && (scores.get(u32(segment.firstChunk, document) + chunkIndex) ?? 0) <= cut
    })
  })
}

function viewOf(segment: Segment): CandidateView {
  const view = views.get(segment) ?? new CandidateView(segment)
  views.set(segment, view)
  return view
}

/** @returns whether something was read: the state may have changed meanwhile */
async function learnRemoved(tables: ChunkTables, parts: readonly TablePart[]): Promise<boolean> {
  const toLearn = parts.filter(({ unknown }) => unknown.length > 0)
  await Promise.all(
    toLearn.map(async ({ segment, removed, unknown: documents }) => {
      const chunksOf = (document: number): readonly number[] => chunksIn(segment, document)
      const rows = await tables.rowsAt(
        segment.table,
        documents.flatMap(chunksOf).sort((x, y) => x - y),
      )
      const termsOf = new Map(rows.map(({ chunk, row }) => [chunk, row]))
      for (const document of documents)
        removed.learn(
          document,
          Uint32Array.from(
            chunksOf(document).flatMap((chunk) => {
              const row = termsOf.get(chunk)
              return Array.from({ length: row?.terms ?? 0 }, (_, at) => row?.ordinal(at) ?? 0)
            }),
          ),
        )
    }),
  )
  return toLearn.length > 0
}

function chunksIn({ firstChunk }: Segment, document: number): readonly number[] {
  const from = u32(firstChunk, document)
  return Array.from({ length: u32(firstChunk, document + 1) - from }, (_, at) => from + at)
}

interface ProposalLimits {
  readonly allowed: Float64Array | undefined
  readonly max: number
}

async function propose(
  tables: ChunkTables,
  { segment, ordinals }: TablePart,
  { allowed, max }: ProposalLimits,
): Promise<Proposed> {
  if (ordinals.length === 0) return { rows: [], areAll: true }
  if (allowed !== undefined) {
    const chunks: number[] = []
    for (const document of commonTo(segment.documentIds, allowed)) {
      chunks.push(...chunksIn(segment, document))
      if (chunks.length > maxRead) break
    }
    if (chunks.length <= maxRead) return { rows: await tables.rowsAt(segment.table, chunks), areAll: true }
  }
  const rows = await tables.propose(segment.table, ordinals, max)
  return { rows, areAll: rows.length < max }
}

function isSame(one: readonly TablePart[], other: readonly TablePart[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ segment, ordinals }, at) => {
      const now = other[at]
      return now?.segment === segment && now.unknown.length === 0 && ordinals.join() === now.ordinals.join()
    })
  )
}
