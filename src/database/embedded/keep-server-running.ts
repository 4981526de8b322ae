import { setTimeout as delay } from 'node:timers/promises'
import { type OwnServer, type ServerParts, startOwnServer } from './own-server.ts'
import { requestStop, stopPostgres } from './run-postgres.ts'

export interface KeptServer {
  /** Shuts the server down cleanly; it is not started again. */
  stop(): Promise<void>
}

/** Pauses before restarts, in milliseconds; after the last one the server counts as lost. */
const backOffMs = [0, 500, 2_000, 5_000, 10_000]
/** A server that ran this long has recovered; its next exit counts as the first again. */
const settledMs = 60_000

/** Restarts the server if it ends unexpectedly, for example if the system ran out of memory and killed it. */
export function keepServerRunning(
  parts: ServerParts,
  first: OwnServer,
  onLost: (failure: unknown) => void,
): KeptServer {
  let isStopping = false
  let current = first
  let startedMs = parts.clock.nowMs()

  const watch = async (deaths: number): Promise<void> => {
    const exit = await current.server.ended
    if (isStopping) return
    parts.observe({ kind: 'database-died', ...exit })
    const count = parts.clock.nowMs() - startedMs > settledMs ? 0 : deaths
    const waitMs = backOffMs[count]
    if (waitMs === undefined) throw new Error('PostgreSQL ended again and again')
    await delay(waitMs)
    if (isStopping) return
    await current.owner.release().catch(() => undefined)
    current = await startOwnServer(parts)
    // `stop` did not know this server.
    if (isStopping) return stopPostgres(current.server.processId)
    startedMs = parts.clock.nowMs()
    return watch(count + 1)
  }
  const watching = watch(0).catch((failure: unknown) => isStopping || onLost(failure))
  // Stops the server however this process ends, unless it is killed: a server without its Docket would only wait for the next start.
  const endWithUs = (): void => requestStop(current.server.processId)
  process.once('exit', endWithUs)

  return {
    async stop() {
      const beganMs = parts.clock.nowMs()
      isStopping = true
      process.off('exit', endWithUs)
      await stopPostgres(current.server.processId)
      await watching
      await current.owner.release().catch(() => undefined)
      parts.observe({ kind: 'database-stopped', tookMs: parts.clock.nowMs() - beganMs })
    },
  }
}
