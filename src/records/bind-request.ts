import { hashPassword, passwordProblem } from '../identity/passwords.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, succeed } from '../kernel/result.ts'
import type { Asked } from './asked.ts'
import type { PermittedRequest } from './authorize/permitted-request.ts'
import type { FoundPlan } from './find-plan.ts'
import type { Binding } from './plan/record-plan.ts'
import { bindPlan } from './prepare-plan.ts'
import type { RecordRoom } from './record-room.ts'

export interface BoundRequest {
  readonly binding: Binding
  readonly parameters: readonly unknown[]
}

/** Fills a plan with the values of one request. */
export async function bindRequest(
  found: FoundPlan,
  permitted: PermittedRequest,
  { asked, room }: { readonly asked: Asked; readonly room: RecordRoom },
): Promise<Result<BoundRequest, Problem>> {
  const { request } = permitted
  const writes = permitted.writes.some(({ column }) => column.type === 'password')
    ? await hashPasswords(permitted)
    : succeed(request.body)
  if (!writes.ok) return writes
  const limit = limitOf(permitted).rows
  const binding: Binding = {
    tests: found.shape.tests,
    writes: writes.value,
    sysId: request.sysId,
    limit,
    offset: (request.paging.page - 1) * limit,
    after: found.after,
    tags: request.ifMatch ?? [],
    principal: asked.principal,
    identityEpoch: asked.identityEpoch,
    nowMs: room.clock.nowMs(),
    baseUrl: asked.baseUrl,
    catalog: permitted.catalog,
  }
  const parameters = bindPlan(found.prepared, binding)
  return parameters.ok ? succeed({ binding, parameters: parameters.value }) : parameters
}

/** Record spec, section 3: 0 means up to the cap, and above the cap the cap. */
export function limitOf({ request, catalog }: PermittedRequest): { readonly rows: number; readonly clamped: boolean } {
  const cap = Math.max(1, Number(catalog.properties.get('rest.limit.max')) || 10_000)
  const { limit } = request.paging
  return { rows: limit === 0 ? cap : Math.min(limit, cap), clamped: limit > cap }
}

/** A password is never stored; what becomes of it takes time on purpose, so it is made before the statement. */
async function hashPasswords(permitted: PermittedRequest): Promise<Result<ReadonlyMap<string, unknown>, Problem>> {
  const writes = new Map(permitted.request.body)
  for (const { column, value } of permitted.writes) {
    if (column.type !== 'password' || typeof value !== 'string' || value === '') continue
    const userName = permitted.request.body.get('user_name')
    const problem = passwordProblem(value, typeof userName === 'string' ? userName : '')
    if (problem !== undefined) return { ok: false, error: { ...problem, field: column.name } }
    writes.set(column.name, await hashPassword(value))
  }
  return succeed(writes)
}
