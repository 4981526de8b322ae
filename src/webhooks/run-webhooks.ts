import { setTimeout as delay } from 'node:timers/promises'
import type { RecordRoom } from '../records/record-room.ts'
import type { ChangeWatch } from '../records/watch-changes.ts'
import { deliverDue } from './deliver.ts'
import { activeWebhooks, queueDeliveries } from './queue-deliveries.ts'

export interface WebhookParts {
  readonly room: RecordRoom
  readonly watch: ChangeWatch
  /** Networks of the operator's own that webhooks may reach. */
  readonly allowedNetworks: readonly string[]
  readonly onTrouble: (error: unknown) => void
}

export interface RunningWebhooks {
  /** Resolves when the attempts that are under way have ended. */
  stop(): Promise<void>
}

/** How soon a new webhook is noticed, and a letter that is due again. */
const lookEveryMs = 1_000

/** Every process does its share: who queues for a webhook and who sends a letter is settled by locks in PostgreSQL. */
export function runWebhooks({ room, watch, allowedNetworks, onTrouble }: WebhookParts): RunningWebhooks {
  const stopping = new AbortController()
  const delivery = { database: room.database, clock: room.clock, allowedNetworks }

  async function turn(): Promise<boolean> {
    const webhooks = await activeWebhooks(room)
    for (const webhook of webhooks) await queueDeliveries(room, webhook)
    while (webhooks.length > 0 && !stopping.signal.aborted && (await deliverDue(delivery)) > 0);
    return webhooks.length > 0
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const seen = await watch.now().catch(() => '0')
      const isBusy = await turn().catch((error: unknown) => {
        onTrouble(error)
        return false
      })
      await rest(isBusy ? seen : null)
    }
  }

  /** Until something happens, or it is time to look again. */
  async function rest(seen: string | null): Promise<void> {
    const waited = delay(lookEveryMs, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined)
    if (seen === null) return waited
    const woken = new AbortController()
    // A watch that was closed tells nothing any more; it must not make us turn without a rest.
    const grown = watch.beyond(seen, woken.signal).then((settled) => (settled === null ? waited : undefined))
    await Promise.race([waited, grown])
    woken.abort()
  }

  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
