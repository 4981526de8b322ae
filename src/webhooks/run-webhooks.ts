import type { ChangeWatch } from '../records/changes/watch-changes.ts'
import { type WorkBehindChanges, workBehindChanges } from '../records/changes/work-behind-changes.ts'
import type { RecordDeps } from '../records/record-deps.ts'
import { openWebhookSender } from './deliver-with-retries.ts'
import { activeWebhooks, queueDeliveries } from './queue-deliveries.ts'

export interface WebhookParts {
  readonly deps: RecordDeps
  readonly watch: ChangeWatch
  /** Networks of the operator that webhooks may reach. */
  readonly allowedNetworks: readonly string[]
  readonly onError: (error: unknown) => void
  readonly onMissed: (webhookId: string) => void
}

/** Every process takes part in the work. Locks in PostgreSQL decide which process queues for a webhook and which sends a delivery. */
export function runWebhooks({ deps, watch, allowedNetworks, onError, onMissed }: WebhookParts): WorkBehindChanges {
  const mail = openWebhookSender({ deps, allowedNetworks, onError })
  const work = workBehindChanges(
    watch,
    async (stopping) => {
      const webhooks = await activeWebhooks(deps)
      // An error in one webhook must not delay the others.
      for (const webhook of webhooks) await queueDeliveries({ deps, watch, onMissed }, webhook, stopping).catch(onError)
      if (webhooks.length > 0) mail.notify()
      return webhooks.length > 0
    },
    onError,
  )
  return {
    async stop() {
      await Promise.all([work.stop(), mail.stop()])
    },
  }
}
