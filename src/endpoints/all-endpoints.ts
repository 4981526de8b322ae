import type { LimitResponse } from '../contract/limits.ts'
import type { Endpoint } from '../http/endpoint/declare.ts'
import { describeEndpoints, type EndpointGroup } from '../http/openapi/describe-endpoints.ts'
import type { ApiPart } from '../http/openapi/write-openapi.ts'
import { denialEndpoint } from './access/denial-endpoint.ts'
import { keyEndpoints } from './access/key-endpoints.ts'
import { loginEndpoints } from './access/login-endpoints.ts'
import { sessionEndpoints } from './access/session-endpoints.ts'
import { attachmentEndpoints, attachmentGroup } from './attachments/attachment-endpoints.ts'
import { bulkEndpoints, bulkGroup } from './bulk/bulk-endpoints.ts'
import { changeEndpoints, changeGroup } from './changes/change-endpoints.ts'
import { documentEndpoints, documentGroup } from './documents/document-endpoints.ts'
import { metaEndpoints, metaGroup } from './meta/meta-endpoints.ts'
import { nowEndpoints } from './now/now-endpoints.ts'
import { consoleEndpoints } from './pages/console-endpoints.ts'
import { pageEndpoints } from './pages/page-endpoints.ts'
import { explainEndpoint } from './records/explain-endpoint.ts'
import { recordEndpoints } from './records/record-endpoints.ts'
import { statsEndpoint, statsTag } from './records/stats-endpoint.ts'
import { tableEndpoints } from './records/table-endpoints.ts'
import { healthDetailsEndpoint } from './server/health-details-endpoint.ts'
import { healthEndpoints } from './server/health-endpoints.ts'
import { jobEndpoint } from './server/job-endpoint.ts'
import { limitsEndpoint } from './server/limits-endpoint.ts'
import { metricsEndpoint } from './server/metrics-endpoint.ts'
import { openApiEndpoint } from './server/openapi-endpoint.ts'

/** Log-in, keys, rights, and the state of the server. */
const describedServerEndpoints = [
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
  statsEndpoint,
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

const groups: readonly EndpointGroup[] = [
  { tags: [statsTag], endpoints: [statsEndpoint] },
  metaGroup,
  changeGroup,
  bulkGroup,
  attachmentGroup,
  documentGroup,
  {
    tags: [
      { name: 'Access', description: 'Logging in and out, keys. Each address also stands under /rest.' },
      { name: 'Rights', description: 'Which rule decides, and why.' },
      { name: 'Server', description: 'Whether the server is up, and its limits.' },
    ],
    endpoints: describedServerEndpoints,
  },
]

/** The parts of the OpenAPI document without the Table API, which depends on the tables that the caller may read. */
export const describedParts: readonly ApiPart[] = groups.map(describeEndpoints)
