import type { EndpointRequest } from '../http/endpoint/endpoint-request.ts'
import type { ServiceCaller } from '../records/record-service.ts'

/** The caller of a request, for the record service. @param run the gate of their statements */
export function serviceCaller(request: EndpointRequest, run: ServiceCaller['run'] = request.gate.run): ServiceCaller {
  return {
    baseUrl: request.baseUrl,
    mayLag: request.method === 'GET' || request.method === 'HEAD',
    rights: () => request.caller,
    renew: (identityEpoch) => request.renewCaller(identityEpoch),
    run,
  }
}
