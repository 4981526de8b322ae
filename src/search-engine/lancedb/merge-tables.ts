import { type MergedChunks, mergeFrames, notMerged, planMerged } from '../segments/merge-segments.ts'
import { postingsWith, type Segment, u32 } from '../segments/segment.ts'
import { type BytesColumn, type ChunkRows, type PackedRow, type PartLimits, partLimits } from './chunk-rows.ts'
import { type ChunkTables, rowsOfPage } from './chunk-tables.ts'
import { bytesOfWords, type TermsByChunk, wordsOf } from './rows-of-segment.ts'

/** A table that has the chunks of several, or of one without its removed documents. */
interface TableMerge {
  /** The segment that is searched with it. */
  readonly segment: Segment
  readonly rows: AsyncGenerator<ChunkRows>
}

interface MergeOptions {
  /** Ids of documents. */
  readonly dropped: ReadonlySet<number>
  /** Name of the new table. */
  readonly table: string
  readonly limits?: PartLimits
}

/**
 * Prepares to write the rows of some tables into one, page by page: no segment is whole in memory.
 *
 * @param parts of one collection, whose postings are in tables
 */
export async function mergeTables(
  tables: ChunkTables,
  parts: readonly Segment[],
  { dropped, table, limits = partLimits }: MergeOptions,
): Promise<TableMerge> {
  const plan = planMerged(parts, dropped)
  for (const mapping of plan.mappings) await countStaying(tables, mapping)
  // The documents are not kept while the rows are written.
  const { mappings, chunks } = plan
  return { segment: mergeFrames(plan, table), rows: rowsOfMerge(tables, { mappings, chunks }, limits) }
}

/** A segment with a table counts the chunks of each term: those that are dropped are read. */
async function countStaying(
  tables: ChunkTables,
  { segment, chunk, staying }: MergedChunks['mappings'][number],
): Promise<void> {
  const { termCount, table } = segment
  for (let term = 0; term < termCount; term++) staying[term] = postingsWith(segment, term)
  const dropped = Uint32Array.from(chunk.keys()).filter((each) => u32(chunk, each) === notMerged)
  for await (const page of tables.pages(table, dropped))
    for (const row of page)
      for (let at = 0; at < row.terms; at++) staying[row.ordinal(at)] = u32(staying, row.ordinal(at)) - 1
}

/** The rows in the order of their new numbers. */
async function* rowsOfMerge(tables: ChunkTables, merged: MergedChunks, limits: PartLimits): AsyncGenerator<ChunkRows> {
  let [from, bytes] = [0, 0]
  let rows: PackedRow[] = []
  for await (const row of remappedRows(tables, merged)) {
    const size = row.size + bytesOfWords(row)
    if (rows.length >= limits.rows || (rows.length > 0 && bytes + size > limits.bytes)) {
      yield { from, terms: wordsOf(termsIn(rows)), packed: columnOf(rows) }
      from += rows.length
      bytes = 0
      rows = []
    }
    rows.push(row)
    bytes += size
  }
  if (rows.length > 0) yield { from, terms: wordsOf(termsIn(rows)), packed: columnOf(rows) }
}

async function* remappedRows(tables: ChunkTables, merged: MergedChunks): AsyncGenerator<PackedRow> {
  const sources = sourcesOf(merged)
  for (let from = 0; from < merged.chunks; from += rowsOfPage) {
    const to = Math.min(from + rowsOfPage, merged.chunks)
    const rows = new Array<PackedRow>(to - from)
    for (const [part, { segment, chunk, term }] of merged.mappings.entries())
      for await (const page of tables.pages(segment.table, chunksOfPart(sources, { part, from, to })))
        for (const row of page) rows[u32(chunk, row.chunk) - from] = row.moved(u32(chunk, row.chunk), term)
    yield* rows
  }
}

function termsIn(rows: readonly PackedRow[]): TermsByChunk {
  const starts = new Uint32Array(rows.length + 1)
  for (const [at, { terms }] of rows.entries()) starts[at + 1] = u32(starts, at) + terms
  const ordinals = new Uint32Array(u32(starts, rows.length))
  const weights = new Uint8Array(ordinals.length)
  let place = 0
  for (const row of rows)
    for (let at = 0; at < row.terms; at++) {
      ordinals[place] = row.ordinal(at)
      weights[place++] = row.weight(at)
    }
  return { starts, ordinals, weights }
}

function columnOf(rows: readonly PackedRow[]): BytesColumn {
  const starts = new Int32Array(rows.length + 1)
  for (const [at, { size }] of rows.entries()) starts[at + 1] = (starts[at] ?? 0) + size
  const bytes = Buffer.allocUnsafe(starts[rows.length] ?? 0)
  for (const [at, row] of rows.entries()) row.copyTo(bytes, starts[at] ?? 0)
  return { starts, bytes }
}

/** For each new number of a chunk, where it is now. */
interface Sources {
  readonly part: Uint16Array
  readonly chunk: Uint32Array
}

function sourcesOf({ mappings, chunks }: MergedChunks): Sources {
  const sources = { part: new Uint16Array(chunks), chunk: new Uint32Array(chunks) }
  for (const [part, { chunk }] of mappings.entries())
    for (const [before, now] of chunk.entries()) {
      if (now === notMerged) continue
      sources.part[now] = part
      sources.chunk[now] = before
    }
  return sources
}

/** Documents stay in the order of their ids, so the chunks of one part ascend. */
function chunksOfPart(
  sources: Sources,
  { part, from, to }: { readonly part: number; readonly from: number; readonly to: number },
): Uint32Array {
  return sources.chunk.subarray(from, to).filter((_, at) => sources.part[from + at] === part)
}
