import { LRUCache } from 'lru-cache'
import type { ReadReplicas } from '../../database/read-replicas.ts'
import type { Sender } from '../record-call.ts'
import type { BoundRequest } from './bind-request.ts'
import type { PreparedPlan } from './prepare-plan.ts'

/** Where reads go whose results may be somewhat old, and who must not get such results. */
export interface LaggingReads {
  readonly replicas: ReadReplicas
  readonly writes: RecentWrites
}

/** Users see what they wrote: their reads wait for no replica, and get no state before their last write. */
export interface RecentWrites {
  /** @returns to be called when the response of the write has been sent, or its connection is gone */
  begin(userId: string): () => void
  /** When the last write ended, by `performance.now()`; infinite while one is under way. */
  lastMs(userId: string): number
}

export function recentWrites(): RecentWrites {
  const underWay = new Map<string, number>()
  // Longer than a lag that may be set.
  const ended = new LRUCache<string, number>({ max: 100_000, ttl: 120_000 })
  return {
    begin(userId) {
      underWay.set(userId, (underWay.get(userId) ?? 0) + 1)
      return () => {
        ended.set(userId, performance.now())
        const left = (underWay.get(userId) ?? 1) - 1
        if (left > 0) underWay.set(userId, left)
        else underWay.delete(userId)
      }
    },
    lastMs: (userId) => (underWay.has(userId) ? Number.POSITIVE_INFINITY : (ended.get(userId) ?? 0)),
  }
}

const defaultMaxLagMs = 1_000
const mostLagMs = 60_000

/**
 * Runs the statement of a read on a replica.
 *
 * A right that was taken away still counts on a replica until the change has reached it: the statement reads the epochs in its own
 * snapshot, and that is at most `read.max_lag_ms` old. Where the epochs are not those that this process knows, the primary decides.
 *
 * @returns its row behind the epochs; null: the primary is to be asked
 */
export async function readFromReplica(
  { plan, statement }: PreparedPlan,
  bound: BoundRequest,
  call: Sender,
  lagging: LaggingReads | null,
): Promise<readonly unknown[] | null> {
  const isRead = plan.form.kind === 'list' || plan.form.kind === 'read' || plan.form.kind === 'stats'
  if (lagging === null || call.mayLag !== true || !isRead) return null
  const maxLagMs = Number(plan.catalog.properties.get('read.max_lag_ms') || defaultMaxLagMs)
  const oldestMs = performance.now() - Math.min(maxLagMs, mostLagMs)
  const notBeforeMs = Math.max(oldestMs, lagging.writes.lastMs(call.principal.userId))
  const rows = await lagging.replicas.run(statement, bound.parameters, notBeforeMs)
  const [catalogEpoch, identityEpoch, ...rest] = rows?.[0] ?? []
  return catalogEpoch === plan.catalog.epoch && identityEpoch === call.identityEpoch ? rest : null
}
