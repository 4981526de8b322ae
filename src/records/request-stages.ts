import type { Catalog } from '../catalog/catalog.ts'
import type { Session } from '../database/database.ts'
import type { Problem } from '../kernel/problem.ts'
import type { Result } from '../kernel/result.ts'
import { authorizeRequest } from './authorize/authorize-request.ts'
import { keepStoredDocuments, type ReadRecord } from './keep-stored-documents.ts'
import type { RecordCall } from './record-call.ts'
import type { RecordDeps } from './record-deps.ts'
import type { RecordResult, Row } from './record-result.ts'
import { renderResult } from './render/render-result.ts'
import { type PreparedRequest, prepareRequest } from './run/prepare-request.ts'
import { type IdentityChanged, type NumberTaken, runPlan } from './run/run-plan.ts'

/** Dependencies of the stages of a record request. */
interface Ground {
  readonly deps: RecordDeps
  readonly catalog: Catalog
  /** Reads the record before a write; absent: editor documents are written as they are sent. */
  readonly read?: ReadRecord
}

/** The stages before the statement. No other place chains them. */
export function prepareCall(
  call: RecordCall,
  { deps, catalog, read = async () => null }: Ground,
): Result<PreparedRequest, Problem> | Promise<Result<PreparedRequest, Problem>> {
  const { request, principal } = call
  const authorized = authorizeRequest(request, { catalog, access: deps.accessFor(catalog, principal), principal })
  if (!authorized.ok) return authorized
  const kept = keepStoredDocuments(authorized.value, call, read)
  return kept instanceof Promise
    ? kept.then((request) => prepareRequest(request, { call, deps }))
    : prepareRequest(kept, { call, deps })
}

/** The stage after the statement. */
export function resultOf(
  row: readonly unknown[],
  { authorized, found }: PreparedRequest,
): Result<RecordResult, Problem> {
  return renderResult(row, { plan: found.prepared.plan, authorized })
}

/** null: the dictionary changed (see runPlan), and nothing was written. */
export type CallOutcome = Result<RecordResult, Problem | IdentityChanged | NumberTaken> | null

/** Runs a whole request as part of a transaction. */
export async function callInSession(
  call: RecordCall,
  within: Pick<Ground, 'deps' | 'catalog'> & { readonly session: Session },
): Promise<CallOutcome> {
  const read: ReadRecord = async (one) => recordOf(await callInSession(one, within))
  const ready = await prepareCall(call, { ...within, read })
  if (!ready.ok) return ready
  return runPrepared(ready.value, call, within)
}

/** Runs the statement of a prepared request. @param session the transaction that it is part of */
export async function runPrepared(
  ready: PreparedRequest,
  call: RecordCall,
  { deps, session }: { readonly deps: RecordDeps; readonly session?: Session },
): Promise<CallOutcome> {
  const { found, bound } = ready
  const row = await runPlan(found.prepared, bound, session === undefined ? { deps, call } : { deps, call, session })
  if (!row.ok) return row
  return row.value === null ? null : resultOf(row.value, ready)
}

/** The record of a read; null: there is none. */
export function recordOf(result: Result<RecordResult, unknown> | null): Row | null {
  if (!result?.ok || result.value.kind !== 'record') return null
  return result.value.records.rows()[0] ?? null
}
