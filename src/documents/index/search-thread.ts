import { type IndexChange, type LexicalSearch, LiveSegments, type SegmentSwap } from './live-segments.ts'
import { answerQuestions } from './worker-thread.ts'

const segments = new LiveSegments()

const work = {
  apply: (change: IndexChange) => segments.apply(change),
  swap: (swap: SegmentSwap) => segments.swap(swap),
  search: (search: LexicalSearch) => segments.search(search),
}
export type SearchWork = typeof work

answerQuestions(work)
