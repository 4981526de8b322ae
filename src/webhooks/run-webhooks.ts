import type { ChangeWatch } from '../records/changes/watch-changes.ts'
import { type WorkBehindChanges, workBehindChanges } from '../records/changes/work-behind-changes.ts'
import type { RecordRoom } from '../records/record-room.ts'
import { deliverDue } from './deliver.ts'
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
  const delivery = { database: room.database, clock: room.clock, allowedNetworks }
  return workBehindChanges(
    watch,
    async (stopping) => {
      const webhooks = await activeWebhooks(room)
      for (const webhook of webhooks) await queueDeliveries(room, webhook)
      while (webhooks.length > 0 && !stopping.aborted && (await deliverDue(delivery)) > 0);
      return webhooks.length > 0
    },
    onTrouble,
  )
}
