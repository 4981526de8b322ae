import type { ReadReplicas } from '../database/read-replicas.ts'
import type { RecentWrites } from '../kernel/recent-writes.ts'

/** Where reads go whose results may be somewhat old, and who must not get such results. */
export interface LaggingReads {
  readonly replicas: ReadReplicas
  readonly writes: RecentWrites
}
