import { describeEndpoints, type EndpointGroup } from '../http/openapi/describe-endpoints.ts'
import type { ApiPart } from '../http/openapi/write-openapi.ts'
import { describedServerEndpoints } from './all-endpoints.ts'
import { attachmentGroup } from './attachments/attachment-endpoints.ts'
import { bulkGroup } from './bulk/bulk-endpoints.ts'
import { changeGroup } from './changes/change-endpoints.ts'
import { documentGroup } from './documents/document-endpoints.ts'
import { metaGroup } from './meta/meta-endpoints.ts'
import { StatsQueryBody } from './records/record-parameters.ts'
import { statsEndpoints, statsTag } from './records/stats-endpoint.ts'
import { viewerEndpoints, viewerTag } from './records/viewer-endpoints.ts'

const groups: readonly EndpointGroup[] = [
  { tags: [statsTag], endpoints: statsEndpoints, schemas: { StatsQueryBody } },
  { tags: [viewerTag], endpoints: viewerEndpoints },
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
