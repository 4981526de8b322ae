import { storableJson } from '../../column-types/storable-json.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import type { PermittedRequest } from '../authorize/permitted-request.ts'
import type { Sender } from '../record-call.ts'
import type { RecordRoom } from '../record-room.ts'
import { type BoundRequest, bindWrites, hideSecrets, type Writes } from './bind-request.ts'
import { type FoundPlan, findPlan } from './find-plan.ts'

/** A request with its plan and the values of the plan's parameters. */
export interface PreparedRequest {
  readonly permitted: PermittedRequest
  readonly found: FoundPlan
  readonly bound: BoundRequest
}

/**
 * Finds the plan of a request and reads its values. PUT and PATCH take what a read gives, also where the column would not take
 * it from anybody: a choice that is gone, nothing in a column that is mandatory now. So a value that is rejected is planned once
 * more, as one that has to equal the stored value.
 */
export async function prepareRequest(
  permitted: PermittedRequest,
  { call, room }: { readonly call: Sender; readonly room: RecordRoom },
): Promise<Result<PreparedRequest, Problem>> {
  let hidden: Promise<Result<Writes, Problem>> | null = null
  const hide = (): Promise<Result<Writes, Problem>> => {
    hidden ??= hideSecrets(permitted, room.seal)
    return hidden
  }
  for (let current = permitted; ; ) {
    const prepared = await prepareAs(current, { call, room, hide })
    if (prepared.ok) return prepared
    const next = withRejected(current, prepared.error)
    if (next === null) return prepared
    current = next
  }
}

interface Preparing {
  readonly call: Sender
  readonly room: RecordRoom
  readonly hide: () => Promise<Result<Writes, Problem>>
}

async function prepareAs(
  permitted: PermittedRequest,
  { call, room, hide }: Preparing,
): Promise<Result<PreparedRequest, Problem>> {
  const found = findPlan(permitted, room, call.principal.roleKey)
  if (!found.ok) return found
  const writes = permitted.writes.length === 0 ? succeed(permitted.request.body) : await hide()
  if (!writes.ok) return writes
  const bound = bindWrites(found.value, permitted, { call, room, writes: writes.value })
  return bound.ok ? succeed({ permitted, found: found.value, bound: bound.value }) : bound
}

/** The request with one write more that was rejected; null: the problem is none of a value that may be stored. */
function withRejected(permitted: PermittedRequest, problem: Problem): PermittedRequest | null {
  const { operation } = permitted.request
  if (problem.kind !== 'invalid-value' || (operation !== 'put' && operation !== 'patch')) return null
  const at = permitted.writes.findIndex(({ column, rejected }) => column.name === problem.field && !rejected)
  const write = permitted.writes[at]
  if (write === undefined || storableJson(write.value ?? null) === null) return null
  return { ...permitted, writes: permitted.writes.with(at, { ...write, rejected: problem }) }
}
