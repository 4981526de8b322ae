import type { ChangeWatch } from '../records/changes/watch-changes.ts'
import { type WorkBehindChanges, workBehindChanges } from '../records/changes/work-behind-changes.ts'
import type { RecordRoom } from '../records/record-room.ts'
import { openMailRoom } from './deliver.ts'
import { activeWebhooks, queueDeliveries } from './queue-deliveries.ts'

export interface WebhookParts {
  readonly room: RecordRoom
  readonly watch: ChangeWatch
  /** Networks of the operator's own that webhooks may reach. */
  readonly allowedNetworks: readonly string[]
  readonly onTrouble: (error: unknown) => void
}

/** Every process does its share: who queues for a webhook and who sends a letter is settled by locks in PostgreSQL. */
export function runWebhooks({ room, watch, allowedNetworks, onTrouble }: WebhookParts): WorkBehindChanges {
  const mail = openMailRoom({ room, allowedNetworks, onTrouble })
  const work = workBehindChanges(
    watch,
    async (stopping) => {
      const webhooks = await activeWebhooks(room)
      // What fails for one webhook must not hold up the others.
      for (const webhook of webhooks) await queueDeliveries({ room, watch }, webhook, stopping).catch(onTrouble)
      if (webhooks.length > 0) mail.wake()
      return webhooks.length > 0
    },
    onTrouble,
  )
  return {
    async stop() {
      await Promise.all([work.stop(), mail.stop()])
    },
  }
}
