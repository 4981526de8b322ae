import type { ReadReplicas } from '../database/read-replicas.ts'
import type { RecentWrites } from '../kernel/recent-writes.ts'

/** Replicas for reads that may lag, and the recent writes of users, whose reads must not lag behind these. */
export interface LaggingReads {
  readonly replicas: ReadReplicas
  readonly writes: RecentWrites
}
