import { workerData } from 'node:worker_threads'
import { serveCalls } from '../../processes/worker-thread.ts'
import { ChunkTables } from '../lancedb/chunk-tables.ts'
import type { TablePlace } from '../lancedb/connect-lance.ts'
import { searchTables } from '../lancedb/search-tables.ts'
import { TableReads } from '../lancedb/table-reads.ts'
import { type PackedRanking, packRanking } from '../ranking/pack-ranking.ts'
import type { IndexChange, LexicalSearch, SegmentSwap } from '../segments/index-change.ts'
import { openSegment } from '../segments/segment.ts'
import { SegmentSet } from '../segments/segment-set.ts'

const place = workerData as TablePlace | null
const tables = place === null ? null : new ChunkTables(place)
let segments = new SegmentSet()
let isReading = false
const reads =
  tables &&
  new TableReads(tables, () => new Set(segments.asChange().segments.map(({ buffer }) => openSegment(buffer).table)))

/** Alternates with searches, so that no search has to read many words. */
function readWords(): void {
  isReading = segments.readWords()
  if (isReading) setImmediate(readWords)
}

function readWordsSoon(): void {
  if (!isReading) readWords()
}

const work = {
  apply(change: IndexChange) {
    segments.apply(change)
    if (change.dropped.length > 0) reads?.closeUnused()
    readWordsSoon()
  },
  swap(swap: SegmentSwap) {
    segments.swap(swap)
    reads?.closeUnused()
    readWordsSoon()
  },
  search: (search: LexicalSearch): PackedRanking | Promise<PackedRanking> =>
    tables === null || reads === null
      ? packRanking(segments.search(search))
      : reads.during(async () => packRanking(await searchTables(() => segments, tables, search))),
  documentIds: (collectionId: number) => segments.documentIds(collectionId),
  /** The whole state, for a new writer thread. */
  everything: (_: null): IndexChange => segments.asChange(),
  forget(_: null) {
    segments = new SegmentSet()
  },
}
export type SearchWork = typeof work

serveCalls(work)
