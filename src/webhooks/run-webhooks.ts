import type { ChangeWatch } from '../records/changes/watch-changes.ts'
import { type WorkBehindChanges, workBehindChanges } from '../records/changes/work-behind-changes.ts'
import type { RecordDeps } from '../records/record-deps.ts'
import { openWebhookSender } from './delivery-worker.ts'
import { activeWebhooks, queueDeliveries } from './queue-deliveries.ts'

export interface WebhookParts {
  readonly deps: RecordDeps
  readonly watch: ChangeWatch
  /** Networks of the operator's own that webhooks may reach. */
  readonly allowedNetworks: readonly string[]
  readonly onError: (error: unknown) => void
}

/** Every process does its share: who queues for a webhook and who sends a letter is settled by locks in PostgreSQL. */
export function runWebhooks({ deps, watch, allowedNetworks, onError }: WebhookParts): WorkBehindChanges {
  const mail = openWebhookSender({ deps, allowedNetworks, onError })
  const work = workBehindChanges(
    watch,
    async (stopping) => {
      const webhooks = await activeWebhooks(deps)
      // What fails for one webhook must not hold up the others.
      for (const webhook of webhooks) await queueDeliveries({ deps, watch }, webhook, stopping).catch(onError)
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
