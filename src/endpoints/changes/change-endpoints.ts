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
        'Docket sends changes of records as signed POST requests to the address of each row of sys_webhook. A webhook runs with the rights of the user in run_as, who set the address. sys_webhook_delivery lists the deliveries and their results.',
    },
  ],
  endpoints: changeEndpoints,
  schemas: EVENT_SCHEMAS,
}
