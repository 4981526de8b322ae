import { databaseFailureOf } from '../database/database-failure.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, refuse, succeed } from '../kernel/result.ts'
import type { Asked } from './asked.ts'
import type { BoundRequest } from './bind-request.ts'
import { explainFailure } from './explain-failure.ts'
import type { PreparedPlan } from './prepare-plan.ts'
import type { RecordRoom } from './record-room.ts'

/** The roles of the caller changed while the request was on its way: it is to be asked again with a fresh principal. */
export interface IdentityChanged {
  readonly kind: 'identity-changed'
  /** What the new principal must not be older than. */
  readonly epoch: string
}

/**
 * Runs the statement of a plan, in one round trip.
 *
 * @returns the one row of its result behind the epochs; null when the dictionary changed since the plan was made, and then
 *   nothing was written
 */
export async function runPlan(
  prepared: PreparedPlan,
  bound: BoundRequest,
  { room, asked }: { readonly room: RecordRoom; readonly asked: Asked },
): Promise<Result<readonly unknown[] | null, Problem | IdentityChanged>> {
  try {
    const [row] = await room.database.run(prepared.statement, bound.parameters)
    if (row === undefined) throw new Error('docket_system.epoch is empty: the migrations did not run to their end')
    const [catalogEpoch, identityEpoch, ...rest] = row
    if (catalogEpoch !== prepared.plan.catalog.epoch) return succeed(null)
    if (identityEpoch !== asked.identityEpoch) return refuse({ kind: 'identity-changed', epoch: String(identityEpoch) })
    return succeed(rest)
  } catch (error) {
    const failure = databaseFailureOf(error)
    if (failure === null) throw error
    // A column or table of the plan is gone: another process changed the dictionary before this statement began.
    if (GONE.has(failure.code) && !(await room.catalog.isCurrent(prepared.plan.catalog))) return succeed(null)
    const problem = explainFailure(failure, prepared.plan)
    if (problem === null) throw error
    return refuse(problem)
  }
}

/** undefined_table, undefined_column, undefined_object, feature_not_supported ("cached plan must not change result type"). */
const GONE: ReadonlySet<string> = new Set(['42P01', '42703', '42704', '0A000'])
