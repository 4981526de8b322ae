import { columnTypeOf, isSecret } from '../../column-types/column-types.ts'
import { hashPassword, passwordProblem } from '../../identity/passwords.ts'
import { rejectValue } from '../../kernel/invalid-value.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { AuthorizedRequest } from '../authorize/authorized-request.ts'
import { limitOf } from '../page-limit.ts'
import { readInstruction } from '../plan/instructions.ts'
import type { Caller, RequestValues } from '../plan/value-source.ts'
import type { Sender } from '../record-call.ts'
import type { RecordDeps } from '../record-deps.ts'
import type { Seal } from './encrypt-text.ts'
import type { FoundPlan } from './find-plan.ts'
import { bindPlan } from './prepare-plan.ts'

export interface BoundRequest {
  readonly caller: Caller
  readonly values: RequestValues
  readonly parameters: readonly unknown[]
}

/** Fills the parameters of a plan with the values of one request, whose secrets are already hashed or encrypted. */
export function bindWrites(
  found: FoundPlan,
  authorized: AuthorizedRequest,
  { call, deps, writes }: { readonly call: Sender; readonly deps: RecordDeps; readonly writes: Writes },
): Result<BoundRequest, Problem> {
  const { request } = authorized
  const limit = limitOf(authorized).rows
  const caller: Caller = { principal: call.principal, nowMs: deps.clock.nowMs(), catalog: authorized.catalog }
  const values: RequestValues = {
    comparisons: found.shape.comparisons,
    counts: found.shape.counts,
    writes,
    sysId: request.sysId,
    limit,
    offset: request.paging.offset ?? (request.paging.page - 1) * limit,
    after: found.after,
    tags: request.ifMatch ?? [],
    maxText: request.maxText ?? 0,
    having: request.stats?.having.map(({ value }) => value) ?? [],
    samples: deps.samples,
    identityEpoch: call.identityEpoch,
    baseUrl: call.baseUrl,
  }
  const parameters = bindPlan(found.prepared, caller, values)
  return parameters.ok ? succeed({ caller, values, parameters: parameters.value }) : parameters
}

export type Writes = ReadonlyMap<string, unknown>

/** Hashes passwords (which is slow on purpose) and encrypts the texts of `encrypted` columns, before the statement gets them. */
export async function hideSecrets(authorized: AuthorizedRequest, seal: Seal | null): Promise<Result<Writes, Problem>> {
  const writes = new Map(authorized.request.body)
  for (const { column, value } of authorized.writes) {
    if (!isSecret(column)) continue
    const text = secretText(readInstruction(column, value, authorized.request.operation))
    if (text === '') continue
    if (columnTypeOf(column).secret === 'sealed') {
      if (seal === null) return rejectValue(column.name, NO_SEAL)
      writes.set(column.name, seal(text, `${column.ownerTable}.${column.name}`))
      continue
    }
    const userName = authorized.request.body.get('user_name')
    const problem = passwordProblem(text, typeof userName === 'string' ? userName : '')
    if (problem !== undefined) return fail({ ...problem, field: column.name })
    writes.set(column.name, await hashPassword(text))
  }
  return succeed(writes)
}

const NO_SEAL = 'cannot be written: the server has no key to seal it with (setting DOCKET_SECRET_KEY)'

/** The secret as a text; '' if there is none, or if reading the value will reject it. */
function secretText(instruction: ReturnType<typeof readInstruction>): string {
  if (!instruction.ok || instruction.value.kind !== 'set') return ''
  const { value } = instruction.value
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
