import type { WholeResponse } from '../../http/response/send-response.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { parseRecordRequest, type ReceivedRequest } from '../../records/parse/parse-record-request.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import { RecordService, type ServiceCaller } from '../../records/record-service.ts'
import { parseKnownParameters } from './parse-known-parameters.ts'
import { recordResponse } from './record-response.ts'

/** The record service as endpoints see it. */
export type RespondWithRecords = (
  received: ReceivedRequest,
  caller: ServiceCaller,
) => Promise<Result<WholeResponse, Problem>>

/** Runs a request of the Table API, from its texts to the text of the response. */
export async function respondWithRecords(
  deps: RecordDeps,
  received: ReceivedRequest,
  caller: ServiceCaller,
): Promise<Result<WholeResponse, Problem>> {
  const parsed = parseRecordRequest(received, parseKnownParameters)
  if (!parsed.ok) return parsed
  const result = await new RecordService(deps, caller).send(parsed.value.request)
  if (!result.ok) return result
  const { language } = caller.rights().principal
  const { request, ignoredParameters } = parsed.value
  const { parameters } = received
  const about = { request, ignoredParameters, parameters, baseUrl: caller.baseUrl, language }
  return succeed(recordResponse(result.value, about))
}
