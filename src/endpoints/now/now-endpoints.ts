import type { Endpoint } from '../../http/endpoint/declare.ts'
import { type NowAttachmentDeps, nowAttachmentEndpoints } from './attachment-endpoints.ts'
import { type BatchDeps, batchEndpoint } from './batch-endpoint.ts'
import type { UnloadDeps } from './import-unload.ts'
import { type OauthEndpointDeps, oauthEndpoints } from './oauth-endpoints.ts'
import { nowStartEndpoints } from './start-endpoints.ts'
import { nowStatsEndpoint } from './stats-endpoint.ts'
import { nowTableEndpoints } from './table-endpoints.ts'
import { tinyAddressEndpoint } from './tiny-address-endpoint.ts'
import { unloadEndpoint } from './unload-endpoint.ts'

/** The API for clients of ServiceNow, one file for each group of paths. */
export const nowEndpoints: readonly Endpoint<NowAttachmentDeps & OauthEndpointDeps & BatchDeps & UnloadDeps>[] = [
  ...nowTableEndpoints,
  ...nowAttachmentEndpoints,
  nowStatsEndpoint,
  ...nowStartEndpoints,
  tinyAddressEndpoint,
  ...oauthEndpoints,
  batchEndpoint,
  unloadEndpoint,
]
