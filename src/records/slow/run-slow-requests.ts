import type { Database } from '../../database/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import { startLoop } from '../../kernel/loop.ts'
import type { SlowRequests } from './slow-requests.ts'
import { storeSlowRequests } from './store-slow-requests.ts'

const STORE_EVERY_MS = 10_000

/** Stores the slow shapes of this process at intervals and when it stops. Sends no statement if nothing was slow. */
export function runSlowRequests(
  slow: SlowRequests,
  {
    database,
    clock,
    onError,
  }: { readonly database: Database; readonly clock: Clock; readonly onError: (error: unknown) => void },
): { stop(): Promise<void> } {
  const store = (): Promise<void> => storeSlowRequests(database, slow.take(), new Date(clock.nowMs()))
  const loop = startLoop({ turn: store, everyMs: STORE_EVERY_MS, onError })
  return {
    async stop() {
      await loop.stop()
      await slow.idle()
      await store().catch(onError)
    },
  }
}
