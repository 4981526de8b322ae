import type { LimitResponse } from '../contract/limits.ts'
import type { Endpoint } from '../http/endpoint/declare.ts'
import { denialEndpoint } from './access/denial-endpoint.ts'
import { keyEndpoints } from './access/key-endpoints.ts'
import { loginEndpoints } from './access/login-endpoints.ts'
import { sessionEndpoints } from './access/session-endpoints.ts'
import { attachmentEndpoints } from './attachments/attachment-endpoints.ts'
import { bulkEndpoints } from './bulk/bulk-endpoints.ts'
import { changeEndpoints } from './changes/change-endpoints.ts'
import { documentEndpoints } from './documents/document-endpoints.ts'
import { metaEndpoints } from './meta/meta-endpoints.ts'
import { nowEndpoints } from './now/now-endpoints.ts'
import { consoleEndpoints } from './pages/console-endpoints.ts'
import { pageEndpoints } from './pages/page-endpoints.ts'
import { explainEndpoint } from './records/explain-endpoint.ts'
import { recordEndpoints } from './records/record-endpoints.ts'
import { statsEndpoints } from './records/stats-endpoint.ts'
import { tableEndpoints } from './records/table-endpoints.ts'
import { viewerEndpoints } from './records/viewer-endpoints.ts'
import { healthDetailsEndpoint } from './server/health-details-endpoint.ts'
import { healthEndpoints } from './server/health-endpoints.ts'
import { jobEndpoint } from './server/job-endpoint.ts'
import { limitsEndpoint } from './server/limits-endpoint.ts'
import { metricsEndpoint } from './server/metrics-endpoint.ts'
import { openApiEndpoint } from './server/openapi-endpoint.ts'

/** Log-in, keys, rights, and the state of the server. */
export const describedServerEndpoints = [
  ...sessionEndpoints,
  ...loginEndpoints,
  ...tableEndpoints,
  ...keyEndpoints,
  explainEndpoint,
  denialEndpoint,
  limitsEndpoint,
  metricsEndpoint,
  ...healthEndpoints,
  healthDetailsEndpoint,
  jobEndpoint,
]

/** Operations other than those of documents. Each declares its dependencies. */
export const serverEndpoints = [
  ...recordEndpoints,
  ...statsEndpoints,
  ...viewerEndpoints,
  ...metaEndpoints,
  ...changeEndpoints,
  ...bulkEndpoints,
  ...attachmentEndpoints,
  ...describedServerEndpoints,
  openApiEndpoint,
  ...pageEndpoints,
  ...consoleEndpoints,
]

/** The dependencies of all these operations. */
export type ServerDeps = DepsOf<(typeof serverEndpoints)[number]>
type DepsOf<Each> = (Each extends Endpoint<infer Deps> ? (deps: Deps) => void : never) extends (deps: infer All) => void
  ? All
  : never

/** Every operation of the server. */
export const allEndpoints: readonly Endpoint<never>[] = [...serverEndpoints, ...documentEndpoints, ...nowEndpoints]

/** The limits of operations, for `GET /limits`. */
export const declaredLimits: readonly LimitResponse[] = [
  ...limitsOf('documents', documentEndpoints),
  ...limitsOf('records', serverEndpoints),
]

/** Operations may share limits. */
function limitsOf(service: LimitResponse['service'], endpoints: readonly Endpoint<never>[]): readonly LimitResponse[] {
  return [...new Set(endpoints.flatMap(({ limits = [] }) => limits))].map((limit) => ({ service, ...limit }))
}
