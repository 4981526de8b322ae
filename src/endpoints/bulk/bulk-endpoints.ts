import type { EndpointGroup } from '../../http/openapi/describe-endpoints.ts'
import { BULK_CHANGE_SCHEMAS, bulkChangeEndpoint } from './bulk-change-endpoint.ts'
import { exportEndpoints } from './export-endpoint.ts'
import { importEndpoint, importJsonEndpoint } from './import-endpoints.ts'

/** Many records at once. */
export const bulkEndpoints = [importEndpoint, bulkChangeEndpoint, importJsonEndpoint, ...exportEndpoints]

export const bulkGroup: EndpointGroup = {
  tags: [
    {
      name: 'Bulk',
      description:
        'Files of records. Rights are checked row by row: create for new records, write for existing ones. A rejected row is reported and does not stop the others.',
    },
  ],
  endpoints: bulkEndpoints,
  schemas: BULK_CHANGE_SCHEMAS,
}
