import type { LaggingReads } from '../lagging-reads.ts'
import type { Sender } from '../record-call.ts'
import type { BoundRequest } from './bind-request.ts'
import type { PreparedPlan } from './prepare-plan.ts'

const defaultMaxLagMs = 1_000
const limitMs = 60_000

/**
 * Runs the statement of a read on a replica.
 *
 * A revoked right counts on a replica until the change arrives there. The statement reads the epochs in its own snapshot, which is at
 * most `read.max_lag_ms` old. If they are not those that this process knows, the primary serves the read.
 *
 * @returns the row after its epochs; null: the primary must serve the read
 */
export async function readFromReplica(
  { plan, statement }: PreparedPlan,
  bound: BoundRequest,
  call: Sender,
  lagging: LaggingReads,
): Promise<readonly unknown[] | null> {
  const isRead = plan.form.kind === 'list' || plan.form.kind === 'read' || plan.form.kind === 'stats'
  if (call.mayLag !== true || !isRead) return null
  const maxLagMs = Number(plan.catalog.properties.get('read.max_lag_ms') || defaultMaxLagMs)
  const oldestMs = performance.now() - Math.min(maxLagMs, limitMs)
  const notBeforeMs = Math.max(oldestMs, lagging.writes.lastMs(call.principal.userId))
  const rows = await lagging.replicas.run(statement, bound.parameters, notBeforeMs)
  const [catalogEpoch, identityEpoch, ...rest] = rows?.[0] ?? []
  return catalogEpoch === plan.catalog.epoch && identityEpoch === call.identityEpoch ? rest : null
}
