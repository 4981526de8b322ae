import { type ParseParameters, parseParameters } from '../../records/parse/parse-record-request.ts'
import type { Operation } from '../../records/parse/record-request.ts'

/** By the map of the parameters: equal query strings give the same one (http/request/known-queries.ts). */
const known = new WeakMap<ReadonlyMap<string, string>, Map<Operation, ReturnType<ParseParameters>>>()

/** Parses the parameters of a request once for each map of them. */
export const parseKnownParameters: ParseParameters = (received) => {
  const { operation, parameters } = received
  const ofMap = known.get(parameters) ?? new Map<Operation, ReturnType<ParseParameters>>()
  known.set(parameters, ofMap)
  const parsed = ofMap.get(operation) ?? parseParameters(received)
  ofMap.set(operation, parsed)
  return parsed
}
