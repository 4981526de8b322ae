import type { FastifyRequest } from 'fastify'
import type { ServiceCaller } from '../../records/record-service.ts'
import type { HttpParts } from '../http-parts.ts'
import { baseUrlOf } from './base-url.ts'
import { callerOf, identifyAgain } from './caller.ts'

/** The caller of an HTTP request at the record service. @param run the gate of their statements */
export function serviceCaller(
  { settings, authenticator }: HttpParts,
  request: FastifyRequest,
  run: ServiceCaller['run'],
): ServiceCaller {
  return {
    baseUrl: baseUrlOf(request, settings),
    rights: () => callerOf(request),
    renew: (identityEpoch) => identifyAgain(authenticator, request, identityEpoch),
    run,
  }
}
