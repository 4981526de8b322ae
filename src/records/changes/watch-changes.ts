import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../database/database.ts'
import { selectRows, selectStatement } from '../../database/select-statement.ts'

/** Reports when the log of changes has grown, in any process. One small query serves all who wait. */
export interface ChangeWatch {
  /** Current end of the log. */
  now(): Promise<string>
  /** Resolves when the log has grown beyond a sequence number; null if `orEnd` was aborted first, or the watch was closed. */
  beyond(position: string, orEnd: AbortSignal): Promise<string | null>
  close(): void
}

/** With NOTIFY in each commit, commits would wait for each other. Polling costs 0.2 % of a core, and only while somebody waits. */
const lookEveryMs = 100
/** The delay after an error of PostgreSQL. */
const restMs = 1_000

const SETTLED = selectStatement<{ readonly position: string }>({
  name: 'docket_committed_watermark',
  columns: { position: 'docket_system.committed_watermark()::text' },
  from: '',
})

export function watchChanges(database: Database): ChangeWatch {
  const waiting = new Set<{ readonly position: bigint; readonly resolve: (settled: string | null) => void }>()
  let isLooking = false
  let isClosed = false

  const now = async (): Promise<string> => {
    const [row] = await selectRows(database, SETTLED, [])
    return row?.position ?? '0'
  }

  async function look(): Promise<void> {
    isLooking = true
    while (waiting.size > 0) {
      const settled = await now().catch(() => null)
      if (settled !== null) {
        for (const each of waiting) if (BigInt(settled) > each.position) each.resolve(settled)
      }
      if (waiting.size > 0) await delay(settled === null ? restMs : lookEveryMs, undefined, { ref: false })
    }
    isLooking = false
  }

  return {
    now,
    beyond(position, orEnd) {
      if (isClosed || orEnd.aborted) return Promise.resolve(null)
      return new Promise((resolve) => {
        const one = {
          position: BigInt(position),
          resolve: (settled: string | null) => {
            waiting.delete(one)
            orEnd.removeEventListener('abort', giveUp)
            resolve(settled)
          },
        }
        const giveUp = (): void => one.resolve(null)
        orEnd.addEventListener('abort', giveUp, { once: true })
        waiting.add(one)
        if (!isLooking) void look()
      })
    },
    close() {
      isClosed = true
      for (const each of waiting) each.resolve(null)
    },
  }
}
