import { DocumentMetadata } from '../../contract/document-members.ts'
import { MetadataToLoad, QueuedEnvelope } from '../../contract/documents.ts'
import type { Endpoint } from '../../http/endpoint/declare.ts'
import type { EndpointGroup } from '../../http/openapi/describe-endpoints.ts'
import { collectionEndpoints, settingsEndpoints } from './collection-endpoints.ts'
import { describeEndpoints } from './describe-endpoints.ts'
import { evaluateEndpoint } from './evaluate-endpoint.ts'
import { fileEndpoints } from './file-endpoints.ts'
import { loadEndpoints } from './load-endpoints.ts'
import { readEndpoints } from './read-endpoints.ts'
import { type SearchDeps, searchEndpoint } from './search-endpoint.ts'

/** Every operation of docs/spec/documents.md, section 1, then status, file and settings of collections. */
export const documentEndpoints: readonly Endpoint<SearchDeps>[] = [
  ...loadEndpoints,
  searchEndpoint,
  evaluateEndpoint,
  ...readEndpoints,
  ...describeEndpoints,
  ...collectionEndpoints,
  ...fileEndpoints,
  ...settingsEndpoints,
]

export const documentGroup: EndpointGroup = {
  tags: [
    { name: 'Documents', description: 'Documents in collections: load, read, delete.' },
    { name: 'Search', description: 'Passages that answer a question.' },
    { name: 'Collections', description: 'Collections and their settings.' },
  ],
  endpoints: documentEndpoints,
  schemas: { DocumentMetadata, MetadataToLoad, Queued: QueuedEnvelope },
}
