import type { Endpoint } from '../../http/endpoint/declare.ts'
import { type BatchDeps, batchEndpoint } from './batch-endpoint.ts'
import { type OauthEndpointDeps, oauthEndpoints } from './oauth-endpoints.ts'
import { type NowDeps, nowTableEndpoints } from './table-endpoints.ts'

/** The API for clients of ServiceNow, a file for each group of paths. */
export const nowEndpoints: readonly Endpoint<NowDeps & OauthEndpointDeps & BatchDeps>[] = [
  ...nowTableEndpoints,
  ...oauthEndpoints,
  batchEndpoint,
]
