import { SecretEnvelope, SentAgainEnvelope } from '../../contract/webhooks.ts'
import { declare, withData } from '../../http/endpoint/declare.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import { renewSecret, sendAgain } from '../../webhooks/manage-webhooks.ts'

interface WebhookDeps {
  readonly records: RecordDeps
}

const shared = {
  methods: ['POST'],
  tag: 'Webhooks',
  input: {},
  otherNames: 'ignored',
  receives: 'nothing',
  errors: [403, 404],
  isGated: true,
} as const

const secretEndpoint = declare({
  ...shared,
  id: 'webhooks.secret',
  path: '/rest/v1/webhooks/{sys_id}/secret',
  summary: 'Give a webhook a new secret; it is shown once',
  description:
    'For whoever may write the webhook. Deliveries are signed with it from now on, as standardwebhooks.com says.',
  inPath: { sys_id: 'Identifier of the webhook.' },
  output: SecretEnvelope,
  async handle({ records }: WebhookDeps, _input, { principal, path }) {
    return withData(await renewSecret(records, principal, path['sys_id'] ?? ''))
  },
})

const resendEndpoint = declare({
  ...shared,
  id: 'webhooks.resend',
  path: '/rest/v1/webhook_deliveries/{sys_id}/resend',
  summary: 'Send a delivery again',
  description: 'Whether it was given up or delivered. For administrators.',
  inPath: { sys_id: 'Identifier of the row of sys_webhook_delivery.' },
  output: SentAgainEnvelope,
  async handle({ records }: WebhookDeps, _input, { principal, path }) {
    return withData(await sendAgain(records, principal, path['sys_id'] ?? ''))
  },
})

/**
 * Operations on webhooks that the Table API does not have. The Table API creates, changes, lists and deletes webhooks, and lists
 * their deliveries.
 */
export const webhookEndpoints = [secretEndpoint, resendEndpoint]
