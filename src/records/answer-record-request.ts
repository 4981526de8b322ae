import { type Access, accessOf } from '../acl/decide.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, refuse, succeed } from '../kernel/result.ts'
import type { Answer, Asked } from './asked.ts'
import { authorizeRequest } from './authorize/authorize-request.ts'
import { bindRequest } from './bind-request.ts'
import { findPlan } from './find-plan.ts'
import { parseRecordRequest } from './parse/parse-record-request.ts'
import { runPlan } from './run-plan.ts'
import type { RecordRoom } from './record-room.ts'
import { renderAnswer } from './render/render-answer.ts'

/**
 * The record request from end to end. Read this file first: path, query and body become a request; rules make it a
 * permitted one; the dictionary makes that a plan, which is kept; the plan's statement is run; its rows become the answer.
 *
 * The statement tells under which epochs it ran. When the dictionary or the rules changed since the snapshot that the plan
 * stands on, nothing was written, and the request is answered again on a new snapshot.
 */
export async function answerRecordRequest(room: RecordRoom, asked: Asked): Promise<Result<Answer, Refusal>> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const catalog = await room.catalog.current()
    const answer = await answerOn(catalog, room, asked)
    if (answer !== 'catalog-changed') return answer
    await room.catalog.refresh()
  }
  return refuse({ kind: 'unavailable', detail: 'the dictionary keeps changing; send the request again', retryAfterSeconds: 1 })
}

/** The roles of the caller changed while the request was on its way: it is to be asked again with a fresh principal. */
export interface IdentityChanged {
  readonly kind: 'identity-changed'
  readonly epoch: string
}

export type Refusal = Problem | IdentityChanged

/** Each attempt costs a reload; a dictionary that changes more often than this within one request is being migrated. */
const MAX_ATTEMPTS = 5

async function answerOn(
  catalog: Catalog,
  room: RecordRoom,
  asked: Asked,
): Promise<Result<Answer, Refusal> | 'catalog-changed'> {
  const request = parseRecordRequest(asked)
  if (!request.ok) return request
  const access = room.accessFor(catalog, asked.principal)
  const permitted = authorizeRequest(request.value, { catalog, access, principal: asked.principal })
  if (!permitted.ok) return (await room.catalog.isCurrent(catalog)) ? permitted : 'catalog-changed'
  const found = findPlan(permitted.value, room.plans, asked)
  if (!found.ok) return (await room.catalog.isCurrent(catalog)) ? found : 'catalog-changed'
  const values = await bindRequest(found.value, permitted.value, { asked, room })
  if (!values.ok) return values
  const outcome = await runPlan(found.value.prepared, values.value.parameters, { room, asked, catalog })
  if (!outcome.ok || outcome.value.kind !== 'rows') return outcome.ok ? 'catalog-changed' : outcome
  return renderAnswer(outcome.value.row, { permitted: permitted.value, binding: values.value.binding, asked })
}

export { accessOf }
export type { Access }
void succeed
