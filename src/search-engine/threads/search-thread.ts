import { answerQuestions } from '../../processes/worker-thread.ts'
import { type IndexChange, type LexicalSearch, LiveSegments, type SegmentSwap } from '../segments/live-segments.ts'

let segments = new LiveSegments()

const work = {
  apply: (change: IndexChange) => segments.apply(change),
  swap: (swap: SegmentSwap) => segments.swap(swap),
  search: (search: LexicalSearch) => segments.search(search),
  documentIds: (collectionId: number) => segments.documentIds(collectionId),
  /** All of it, for a keeping thread that knows nothing. */
  everything: (_: null): IndexChange => segments.asChange(),
  forget(_: null) {
    segments = new LiveSegments()
  },
}
export type SearchWork = typeof work

answerQuestions(work)
