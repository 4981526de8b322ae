import type { EndpointGroup } from '../../http/openapi/describe-endpoints.ts'
import { dependentsEndpoint } from './dependents-endpoint.ts'
import { EVENT_SCHEMAS, eventEndpoint } from './event-endpoint.ts'
import { followEndpoints } from './follow-endpoints.ts'
import { historyEndpoint } from './history-endpoint.ts'
import { webhookEndpoints } from './webhook-endpoints.ts'

/** Changes of records: history, events and webhooks. */
export const changeEndpoints = [
  dependentsEndpoint,
  historyEndpoint,
  eventEndpoint,
  ...followEndpoints,
  ...webhookEndpoints,
]

export const changeGroup: EndpointGroup = {
  tags: [
    { name: 'Changes', description: 'Who changed what and when; changes as they happen.' },
    {
      name: 'Webhooks',
      description:
        'Rows of sys_webhook are told of changes by POST, as far as the user in its column run_as may read them: whoever set the address. sys_webhook_delivery tells how it went.',
    },
  ],
  endpoints: changeEndpoints,
  schemas: EVENT_SCHEMAS,
}
