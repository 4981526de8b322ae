import { respondWithRecords } from '../../src/endpoints/records/respond-with-records.ts'
import type { WholeResponse } from '../../src/http/response/send-response.ts'
import type { Principal } from '../../src/identity/principal.ts'
import type { Problem } from '../../src/kernel/problem.ts'
import type { Result } from '../../src/kernel/result.ts'
import type { ReceivedRequest } from '../../src/records/parse/parse-record-request.ts'
import type { RecordDeps } from '../../src/records/record-deps.ts'

/** A request of the Table API as texts, with the rights of its caller. */
export interface TextRequest
  extends Pick<ReceivedRequest, 'operation' | 'table'>,
    Partial<Omit<ReceivedRequest, 'operation' | 'table'>> {
  readonly principal: Principal
  readonly identityEpoch: string
  readonly baseUrl?: string
}

/** The Table API without HTTP: texts in, the text of the response out. Fails if the rights are of an older epoch. */
export function respondAsText(
  deps: RecordDeps,
  { principal, identityEpoch, baseUrl = '', ...received }: TextRequest,
): Promise<Result<WholeResponse, Problem>> {
  const whole = {
    sysId: null,
    parameters: new Map(),
    body: undefined,
    ifMatch: null,
    idempotencyKey: null,
    ...received,
  }
  return respondWithRecords(deps, whole, {
    baseUrl,
    rights: () => ({ principal, identityEpoch }),
    renew: () => Promise.reject(new Error('somebody changed who is who')),
    run: (_userId, work) => work(),
  })
}
