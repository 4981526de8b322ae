import type { Ranking, RankOptions } from '../ranking/rank-chunks.ts'
import type { LexicalSearch } from '../segments/index-change.ts'
import { findDocument, type Segment, u32 } from '../segments/segment.ts'
import type { SegmentSet } from '../segments/segment-set.ts'
import { CandidateView, type PackedRow } from './chunk-rows.ts'
import { type ChunkTables, rowsOfPage } from './chunk-tables.ts'
import type { TablePart } from './removed-terms.ts'

/** One attempt of a search: if the state changes meanwhile, it begins again. */
export interface TableSearch {
  readonly current: () => SegmentSet
  readonly tables: ChunkTables
  readonly search: LexicalSearch
  readonly parts: readonly TablePart[]
}

/** The chunks that are read of one table. */
export interface PartSource {
  /** Numbers of chunks, each part ascending. */
  readonly pages: Iterable<Uint32Array> | AsyncIterable<Uint32Array>
  /** How many; infinite: not known. */
  readonly count: number
  /** The last of the chosen chunks, with LanceDB's score; null: no other chunk of the table can be found. */
  readonly cut: { readonly chunk: number; readonly score: number } | null
  readonly scoreOf: ReadonlyMap<number, number>
}

/**
 * Reads chunks of tables: few of them at once, many page by page, of which only the best are kept.
 *
 * @returns by table; null: the state of the index changed meanwhile
 */
export async function readCandidates(
  request: TableSearch,
  sources: readonly PartSource[],
): Promise<readonly (readonly PackedRow[])[] | null> {
  const { parts } = request
  const count = sources.reduce((sum, source) => sum + source.count, 0)
  if (count <= rowsOfPage) {
    const rows = await Promise.all(parts.map((part, at) => readAll(request, part, sources[at])))
    return isCurrent(request) ? rows : null
  }
  const rows: (readonly PackedRow[])[] = []
  for (const [at, part] of parts.entries()) {
    const best = await readBest(request, part, sources[at])
    if (best === null) return null
    rows.push(best)
  }
  return rows
}

async function readAll({ tables }: TableSearch, { segment }: TablePart, source: PartSource | undefined) {
  const rows: PackedRow[] = []
  for await (const chunks of source?.pages ?? [])
    for await (const page of tables.pages(segment.table, chunks)) rows.push(...page)
  return rows
}

async function readBest(
  request: TableSearch,
  part: TablePart,
  source: PartSource | undefined,
): Promise<readonly PackedRow[] | null> {
  let best: readonly PackedRow[] = []
  for await (const chunks of source?.pages ?? [])
    for await (const page of request.tables.pages(part.segment.table, chunks)) {
      if (!isCurrent(request)) return null
      best = bestOf(request, part, { rows: [...best, ...page], kept: source?.cut?.chunk ?? -1 })
    }
  return isCurrent(request) ? best : null
}

/** @param kept a chunk that stays in any case */
function bestOf(
  request: TableSearch,
  { segment }: TablePart,
  { rows, kept }: { readonly rows: readonly PackedRow[]; readonly kept: number },
): readonly PackedRow[] {
  const ascending = rows.toSorted((one, other) => one.chunk - other.chunk)
  const { explain: _, ...options } = request.search.options
  const read = request.parts.map((part) => (part.segment === segment ? ascending : []))
  const { ranked } = rankOnly(request, read, { isOnlyTables: true, options })
  const best = new Set(
    ranked.map(({ documentId, chunkIndex }) => u32(segment.firstChunk, findDocument(segment, documentId)) + chunkIndex),
  ).add(kept)
  // Without the bytes of the other rows of its page.
  return ascending.flatMap((row) => (best.has(row.chunk) ? row.copied() : []))
}

interface RankScope {
  /** Segments in memory are counted, and not searched. */
  readonly isOnlyTables: boolean
  /** Also removed chunks. */
  readonly areAllFound?: boolean
  /** Absent: those of the search. */
  readonly options?: RankOptions
}

/** Ranks rows that were read. @param rows of each table, ascending */
export function rankOnly(
  { current, search, parts }: TableSearch,
  rows: readonly (readonly PackedRow[])[],
  { isOnlyTables, areAllFound = false, options = search.options }: RankScope,
): Ranking {
  const candidates = new Map(
    parts.flatMap(({ segment, ordinals }, at) => {
      const read = rows[at] ?? []
      return read.length === 0 ? [] : [[segment, viewOf(segment).segmentOf(ordinals, read)] as const]
    }),
  )
  return current().search({ ...search, options }, (part) => {
    const segment = candidates.get(part.segment)
    if (segment !== undefined) return { ...part, segment, ...(areAllFound && { hidden: null }) }
    return isOnlyTables || part.segment.table !== '' ? { ...part, isOnlyCounted: true } : part
  })
}

/** Arrays as long as a segment, for the next search of it. */
const views = new WeakMap<Segment, CandidateView>()

function viewOf(segment: Segment): CandidateView {
  const view = views.get(segment) ?? new CandidateView(segment)
  views.set(segment, view)
  return view
}

function isCurrent({ current, search, parts }: TableSearch): boolean {
  const now = current().tablePartsOf(search)
  return (
    parts.length === now.length &&
    parts.every(({ segment, ordinals }, at) => {
      const other = now[at]
      return other?.segment === segment && other.unknown.length === 0 && ordinals.join() === other.ordinals.join()
    })
  )
}

/** Numbers of the chunks of a document. */
export function chunksIn({ firstChunk }: Segment, document: number): readonly number[] {
  const from = u32(firstChunk, document)
  return Array.from({ length: u32(firstChunk, document + 1) - from }, (_, at) => from + at)
}
