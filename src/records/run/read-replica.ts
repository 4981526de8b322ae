import type { LaggingReads } from '../lagging-reads.ts'
import type { Sender } from '../record-call.ts'
import type { BoundRequest } from './bind-request.ts'
import type { PreparedPlan } from './prepare-plan.ts'

const defaultMaxLagMs = 1_000
const limitMs = 60_000

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
