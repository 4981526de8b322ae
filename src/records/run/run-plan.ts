import type { Table } from '../../catalog/catalog.ts'
import type { Session } from '../../database/database.ts'
import { databaseFailureOf } from '../../database/database-failure.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { RecordPlan } from '../plan/record-plan.ts'
import type { Sender } from '../record-call.ts'
import type { RecordDeps } from '../record-deps.ts'
import { driftProblem, findDrifted } from './adopted-table-drift.ts'
import type { BoundRequest } from './bind-request.ts'
import { mapDatabaseError } from './map-database-error.ts'
import type { PreparedPlan } from './prepare-plan.ts'
import { readFromReplica } from './read-replica.ts'
import { withViolatedColumns } from './violated-columns.ts'

/** The roles of the caller changed during the request, which must be sent again with a new principal. */
export interface IdentityChanged {
  readonly kind: 'identity-changed'
  /** The new principal must have been read at this epoch or a later one. */
  readonly epoch: string
}

/** The generated number exists already: nothing was written, and the counter generates another one next time. */
export interface NumberTaken {
  readonly kind: 'number-taken'
  /** sys_id of the numbering. */
  readonly numbering: string
}

interface Run {
  readonly deps: RecordDeps
  readonly call: Sender
  /** The transaction that the statement is part of. */
  readonly session?: Session
  /** The statement runs again because the owner of an adopted table may have changed it back. */
  readonly isRepeated?: true
}

/**
 * Runs the statement of a plan, in one round trip.
 *
 * @returns the one row of its result, after the epochs; null: the dictionary changed since the plan was made, and nothing was
 *   written
 */
export async function runPlan(
  prepared: PreparedPlan,
  bound: BoundRequest,
  { deps, call, session = deps.database, isRepeated }: Run,
): Promise<Result<readonly unknown[] | null, Problem | IdentityChanged | NumberTaken>> {
  try {
    if (deps.lagging !== null && session === deps.database) {
      const lagging = await readFromReplica(prepared, bound, call, deps.lagging)
      if (lagging !== null) return succeed(lagging)
    }
    const [row] = await session.run(prepared.statement, bound.parameters)
    if (row === undefined) throw new Error('docket_system.epoch is empty: the migrations did not run to their end')
    const [catalogEpoch, identityEpoch] = row
    const { table } = prepared.plan
    if (table.adopted?.isDrifted === true) deps.catalog.markDrifted(new Set([table.name]), false)
    if (catalogEpoch !== prepared.plan.catalog.epoch) return succeed(null)
    if (identityEpoch !== call.identityEpoch) return fail({ kind: 'identity-changed', epoch: String(identityEpoch) })
    return succeed(row.slice(2))
  } catch (error) {
    const failure = databaseFailureOf(error)
    if (failure === null) throw error
    // A deadlock, which PostgreSQL ended by aborting this statement: nothing was written.
    if (failure.code === '40P01' && session === deps.database) return succeed(null)
    // A column of the plan was dropped or has another type: another process changed the dictionary before this statement began.
    if (!(await deps.catalog.isCurrent(prepared.plan.catalog))) return succeed(null)
    const { catalog } = prepared.plan
    const access = deps.accessFor(catalog, call.principal)
    const mayKnow = (table: Table): boolean => access.decideTable(table, 'read').grant.kind !== 'never'
    const problem = mapDatabaseError(failure, prepared.plan, mayKnow)
    if (problem !== null) {
      const { plan } = prepared
      return fail(
        numberTaken(problem, plan.form) ?? (await withViolatedColumns(deps.database, failure, { plan, problem })),
      )
    }
    const failed = { text: prepared.statement.text, catalog }
    const { drifted, isNews, mayBeRestored } = await findDrifted(deps, failure, failed)
    // It wrote nothing. In a transaction, which it has ended, it cannot run again: the whole transaction does (`onCurrentTables`).
    if (mayBeRestored && session === deps.database && isRepeated === undefined)
      return runPlan(prepared, bound, { deps, call, isRepeated: true })
    if (drifted.length === 0) throw error
    // The next attempt leaves the table out if it was one of all tables, as for journals.
    return isNews ? succeed(null) : fail(driftProblem(drifted, mayKnow))
  }
}

/** The caller did not send the number, so this is not an error of theirs. */
function numberTaken(problem: Problem, form: RecordPlan['form']): NumberTaken | null {
  if (problem.kind !== 'not-unique' || form.kind !== 'create') return null
  const counted = form.assignments.find(({ column }) => column.name === problem.field)
  return counted?.change.kind === 'number' ? { kind: 'number-taken', numbering: counted.change.numbering.id } : null
}
