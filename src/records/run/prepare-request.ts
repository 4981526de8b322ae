import { isSecret } from '../../column-types/column-types.ts'
import { storableJson } from '../../column-types/storable-json.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import type { AuthorizedRequest } from '../authorize/authorized-request.ts'
import type { Sender } from '../record-call.ts'
import type { RecordDeps } from '../record-deps.ts'
import { type BoundRequest, bindWrites, hideSecrets, type Writes } from './bind-request.ts'
import { type FoundPlan, findPlan } from './find-plan.ts'

/** A request with its plan and the values of the plan's parameters. */
export interface PreparedRequest {
  readonly authorized: AuthorizedRequest
  readonly found: FoundPlan
  readonly bound: BoundRequest
}

/**
 * Finds the plan of a request and reads its values. PUT and PATCH accept the stored value of a column even if it is no longer valid,
 * such as a removed choice, or an empty value in a column that is mandatory now. So if a value is rejected, the request is planned
 * again with the condition that this value equals the stored one.
 */
export function prepareRequest(
  authorized: AuthorizedRequest,
  { call, deps }: Ground,
): Result<PreparedRequest, Problem> | Promise<Result<PreparedRequest, Problem>> {
  if (authorized.writes.some(({ column }) => isSecret(column))) return prepareSecrets(authorized, { call, deps })
  // Without secrets nothing is awaited.
  const binding = { call, deps, writes: authorized.request.body }
  for (let current = authorized; ; ) {
    const prepared = prepareAs(current, binding)
    if (prepared.ok) return prepared
    const next = withRejected(current, prepared.error)
    if (next === null) return prepared
    current = next
  }
}

interface Ground {
  readonly call: Sender
  readonly deps: RecordDeps
}

async function prepareSecrets(
  authorized: AuthorizedRequest,
  { call, deps }: Ground,
): Promise<Result<PreparedRequest, Problem>> {
  let hidden: Promise<Result<Writes, Problem>> | null = null
  const hide = (): Promise<Result<Writes, Problem>> => {
    hidden ??= hideSecrets(authorized, deps.seal)
    return hidden
  }
  for (let current = authorized; ; ) {
    const prepared = await prepareSecret(current, { call, deps, hide })
    if (prepared.ok) return prepared
    const next = withRejected(current, prepared.error)
    if (next === null) return prepared
    current = next
  }
}

interface Hiding extends Ground {
  readonly hide: () => Promise<Result<Writes, Problem>>
}

async function prepareSecret(
  authorized: AuthorizedRequest,
  { hide, ...ground }: Hiding,
): Promise<Result<PreparedRequest, Problem>> {
  const found = findPlan(authorized, ground.deps, ground.call.principal.roleKey)
  if (!found.ok) return found
  const writes = await hide()
  return writes.ok ? bindFound(found.value, authorized, { ...ground, writes: writes.value }) : writes
}

interface Binding extends Ground {
  readonly writes: Writes
}

function prepareAs(authorized: AuthorizedRequest, binding: Binding): Result<PreparedRequest, Problem> {
  const found = findPlan(authorized, binding.deps, binding.call.principal.roleKey)
  return found.ok ? bindFound(found.value, authorized, binding) : found
}

function bindFound(
  found: FoundPlan,
  authorized: AuthorizedRequest,
  binding: Binding,
): Result<PreparedRequest, Problem> {
  const bound = bindWrites(found, authorized, binding)
  return bound.ok ? succeed({ authorized, found, bound: bound.value }) : bound
}

/** The request with one more write marked as rejected; null: the problem is not about a value that may be stored. */
function withRejected(authorized: AuthorizedRequest, problem: Problem): AuthorizedRequest | null {
  const { operation } = authorized.request
  if (problem.kind !== 'invalid-value' || (operation !== 'put' && operation !== 'patch')) return null
  const at = authorized.writes.findIndex(({ column, rejected }) => column.name === problem.field && !rejected)
  const write = authorized.writes[at]
  if (write === undefined || storableJson(write.value ?? null) === null) return null
  return { ...authorized, writes: authorized.writes.with(at, { ...write, rejected: problem }) }
}
