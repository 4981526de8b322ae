import { workerData } from 'node:worker_threads'
import { serveCalls } from '../../processes/worker-thread.ts'
import { ChunkTables, type TablePlace } from '../lancedb/chunk-tables.ts'
import { searchTables } from '../lancedb/search-tables.ts'
import { type PackedRanking, packRanking } from '../ranking/pack-ranking.ts'
import type { IndexChange, LexicalSearch, SegmentSwap } from '../segments/index-change.ts'
import { openSegment } from '../segments/segment.ts'
import { SegmentSet } from '../segments/segment-set.ts'

const place = workerData as TablePlace | null
const tables = place === null ? null : new ChunkTables(place)
let segments = new SegmentSet()
let isReading = false
let running = 0
/** Whether there may be open tables that are not in use any more. */
let isSwapped = false

/** Alternates with searches, so that no search has to read many words. */
function readWords(): void {
  isReading = segments.readWords()
  if (isReading) setImmediate(readWords)
}

/** Searches begin with the present segments, and may still read tables of former ones. */
async function searchInTables(present: ChunkTables, search: LexicalSearch): Promise<PackedRanking> {
  running++
  try {
    return packRanking(await searchTables(() => segments, present, search))
  } finally {
    running--
    if (isSwapped && running === 0) {
      isSwapped = false
      present.forgetOthers(new Set(segments.asChange().segments.map(({ buffer }) => openSegment(buffer).table)))
    }
  }
}

function readWordsSoon(): void {
  if (!isReading) readWords()
}

const work = {
  apply(change: IndexChange) {
    segments.apply(change)
    readWordsSoon()
  },
  swap(swap: SegmentSwap) {
    segments.swap(swap)
    isSwapped = true
    readWordsSoon()
  },
  search: (search: LexicalSearch): PackedRanking | Promise<PackedRanking> =>
    tables === null ? packRanking(segments.search(search)) : searchInTables(tables, search),
  documentIds: (collectionId: number) => segments.documentIds(collectionId),
  /** The whole state, for a new writer thread. */
  everything: (_: null): IndexChange => segments.asChange(),
  forget(_: null) {
    segments = new SegmentSet()
  },
}
export type SearchWork = typeof work

serveCalls(work)
