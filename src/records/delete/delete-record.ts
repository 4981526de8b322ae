import type { Catalog, Table } from '../../catalog/catalog.ts'
import { tableNamed } from '../../catalog/table-named.ts'
import { readSysId } from '../../column-types/record-key.ts'
import { commitOrRollback } from '../../database/commit-or-rollback.ts'
import type { Session } from '../../database/database.ts'
import { databaseFailureOf } from '../../database/database-failure.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import { type RecordRequest, recordRequest } from '../parse/record-request.ts'
import type { RecordCall } from '../record-call.ts'
import type { RecordDeps } from '../record-deps.ts'
import { type CallOutcome, callInSession } from '../request-stages.ts'
import { onCurrentTables } from '../rights/on-current-tables.ts'
import { storageOf } from '../sql/adopted-storage.ts'
import { Row } from '../sql/from-clause.ts'
import { type CollectedDependents, type CollectedRecord, collectDependents } from './collect-dependents.ts'
import { blockingProblem, type Step, stepFailed, stepsOf } from './delete-steps.ts'

/** A DELETE of a record, and the context of its statements. */
export interface RecordDelete {
  readonly deps: RecordDeps
  readonly catalog: Catalog
  /** With operation `delete`. */
  readonly call: RecordCall
  readonly session: Session
}

/** Deletes a record in a transaction of its own, and applies `on_delete` of the columns that refer to it. */
export function deleteRecord(deps: RecordDeps, catalog: Catalog, call: RecordCall): Promise<CallOutcome> {
  return withFailures<CallOutcome>(deps, catalog, { end: (failed) => failed, timeout: DEPENDENTS_TIMEOUT }, () =>
    commitOrRollback<CallOutcome>(deps.database, async (session, rollback) => {
      const { outcome } = await deleteInSession({ deps, catalog, call, session })
      return outcome?.ok === true ? outcome : rollback(outcome)
    }),
  )
}

/** What a delete affects as far as the caller may read it, and its outcome. */
export interface TriedDelete {
  readonly collected: CollectedDependents | null
  readonly outcome: CallOutcome
}

/** Runs the delete and rolls it back: a DELETE then does what it reports. */
export function tryDelete(deps: RecordDeps, catalog: Catalog, call: RecordCall): Promise<TriedDelete> {
  return withFailures<TriedDelete>(
    deps,
    catalog,
    { end: (outcome) => ({ collected: null, outcome }), timeout: DEPENDENTS_TIMEOUT },
    () =>
      commitOrRollback<TriedDelete>(deps.database, async (session, rollback) =>
        rollback(await deleteInSession({ deps, catalog, call, session, evenIfDenied: true })),
      ),
  )
}

/**
 * Deletes one record as the caller, in an open transaction: the dependents first, each by a request of the caller, so that
 * rights, history and events are those of single requests. If the outcome is not `ok`, roll back the transaction, or return to a
 * savepoint before the call.
 *
 * @param evenIfDenied collect dependents also if the caller may not delete the record itself
 * @param holdsEpochs the transaction has locked the epochs. Otherwise, inside a savepoint, a delete that raises the caller's
 *   identity epoch ends as `identity-changed`
 */
export function deleteInSession(
  deletion: RecordDelete & { readonly evenIfDenied?: boolean; readonly holdsEpochs?: boolean },
): Promise<TriedDelete> {
  return new DeleteRun(deletion, deletion.holdsEpochs === true).all(deletion.evenIfDenied === true)
}

class DeleteRun {
  readonly #deletion: RecordDelete
  readonly #holdsEpochs: boolean
  #identityEpoch: string

  constructor(deletion: RecordDelete, holdsEpochs: boolean) {
    this.#deletion = deletion
    this.#holdsEpochs = holdsEpochs
    this.#identityEpoch = deletion.call.identityEpoch
  }

  async all(evenIfDenied: boolean): Promise<TriedDelete> {
    const { call, session } = this.#deletion
    await session.rows(sql`set constraints all deferred`)
    // First check whether the caller may delete the record at all. The record is deleted last, because rights on the others may
    // depend on it.
    await session.rows(sql`savepoint attempt`)
    const attempt = await this.#send(call.request)
    await session.rows(sql`rollback to savepoint attempt`)
    await session.rows(sql`release savepoint attempt`)
    const isDenied = attempt === null || !(attempt.ok || attempt.error.kind === 'still-referenced')
    const root = isDenied && !evenIfDenied ? null : await this.#findRoot()
    if (root === null) return { collected: null, outcome: attempt }
    const collected = await this.#collect(root)
    return { collected, outcome: isDenied ? attempt : await this.#finish(root, collected) }
  }

  async #finish(root: CollectedRecord, collected: CollectedDependents): Promise<CallOutcome> {
    const { call, session } = this.#deletion
    const blocked = blockingProblem(root.table, collected)
    if (blocked !== null) return fail(blocked)
    for (const step of stepsOf(collected.dependents)) {
      const outcome = await this.#take(step, root.table)
      if (outcome === null || !outcome.ok) return outcome
    }
    // Checked last, so that nothing visible to the caller depends on it: hidden records block the delete.
    const byAnother = fail({ kind: 'still-referenced', table: root.table.name, by: 'another table' } as const)
    if (collected.hasHidden) return byAnother
    const outcome = await this.#send(call.request)
    if (outcome?.ok === true) return (await keysHold(session)) ? outcome : byAnother
    return outcome?.error.kind === 'still-referenced' ? byAnother : outcome
  }

  async #take(step: Step, root: Table): Promise<CallOutcome> {
    const { operation, table, sysId, body } = step
    const outcome = await this.#send(recordRequest({ operation, table: table.name, sysId, body }))
    return outcome === null || outcome.ok ? outcome : fail(stepFailed(outcome.error, step, root))
  }

  /** Sends one request in the transaction. */
  async #send(request: RecordRequest): Promise<CallOutcome> {
    const outcome = await this.#sendUnder(request, this.#identityEpoch)
    if (outcome === null || outcome.ok || outcome.error.kind !== 'identity-changed') return outcome
    const { epoch } = outcome.error
    if (!this.#holdsEpochs && !(await this.#roseHere())) return outcome
    this.#identityEpoch = epoch
    return this.#sendUnder(request, epoch)
  }

  async #sendUnder(request: RecordRequest, identityEpoch: string): Promise<CallOutcome> {
    const { deps, catalog, session, call } = this.#deletion
    return callInSession({ ...call, request, identityEpoch }, { deps, catalog, session })
  }

  /** Users, roles or keys that this transaction deletes raise the epoch; nobody else can raise it until it ends. */
  async #roseHere(): Promise<boolean> {
    const [row] = await this.#deletion.session.rows<{ here: boolean }>(
      sql`select e.xmin::text::bigint = pg_current_xact_id()::text::bigint % 4294967296 as here from docket_system.epoch e`,
    )
    return row?.here === true
  }

  /** The record with its own class; null: it does not exist. */
  async #findRoot(): Promise<CollectedRecord | null> {
    const { call, catalog, session } = this.#deletion
    const { request } = call
    const table = tableNamed(request.table, catalog)
    const sysId = table === undefined ? null : readSysId(request.sysId ?? '', table.key)
    if (table === undefined || sysId === null) return null
    const row = new Row('d', table)
    const [found] = await session.rows<{ id: string; class: string | null }>(
      sql`select ${row.name()} as id, ${row.storage('sys_db_table_id')}::text as class from ${storageOf(table)} as d where ${row.isRequested(sql`${sysId}`)}`,
    )
    if (found === undefined) return null
    return { table: catalog.tablesById.get(found.class ?? '') ?? table, sysId: found.id }
  }

  #collect(root: CollectedRecord): Promise<CollectedDependents> {
    const { deps, catalog, call, session } = this.#deletion
    const { principal } = call
    const access = deps.accessFor(catalog, principal)
    return collectDependents(root, { session, catalog, access, principal, nowMs: deps.clock.nowMs() })
  }
}

/** Makes PostgreSQL check the foreign keys, which are deferred until all records are deleted. */
async function keysHold(session: Session): Promise<boolean> {
  try {
    await session.rows(sql`set constraints all immediate`)
    return true
  } catch (error) {
    if (databaseFailureOf(error)?.code === '23503') return false
    throw error
  }
}

const DEPENDENTS_TIMEOUT: Problem = {
  kind: 'over-budget',
  detail: 'what refers to the record was not found within the time that one request may take',
}

interface Failing<T> {
  /** Produces the outcome; null: try again. */
  readonly end: (outcome: Result<never, Problem> | null) => T
  /** The problem of a statement that exceeded its time limit. */
  readonly timeout: Problem
}

/**
 * Handles errors of the database. If another transaction locked the same records in another order, or the dictionary changed, try
 * again.
 */
export async function withFailures<T>(
  deps: RecordDeps,
  catalog: Catalog,
  { end, timeout }: Failing<T>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await onCurrentTables(work)
  } catch (error) {
    const code = databaseFailureOf(error)?.code
    if (code === undefined) throw error
    if (code === '40P01' || !(await deps.catalog.isCurrent(catalog))) return end(null)
    if (code !== '57014') throw error
    return end(fail(timeout))
  }
}
