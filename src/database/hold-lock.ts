import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { connectOnce } from './connect-once.ts'
import type { Database } from './database.ts'

/** An advisory lock on a separate connection: PostgreSQL releases it when this process ends in any way. */
export interface HeldLock {
  /** false while the connection is broken; it is reopened automatically. */
  isHeld(): boolean
  close(): Promise<void>
}

const retryEveryMs = 1_000

/**
 * @param key of the lock; others may hold it only for a moment
 * @param onError called if the connection breaks or cannot be reopened
 * @throws StartFailure if it cannot be opened at all
 */
export async function holdLock(
  database: Database,
  key: readonly [space: number, number: number],
  onError: (error: unknown) => void,
): Promise<HeldLock> {
  let isClosing = false
  let held: pg.Client | undefined
  let returning: Promise<void> | undefined

  const take = async (): Promise<void> => {
    const client = await connectOnce(database.connectionString, 'docket worker')
    try {
      // A server that ends idle sessions would make this process look dead.
      await client.query('set idle_session_timeout = 0')
      await client.query('select pg_advisory_lock($1, $2)', [...key])
    } catch (error) {
      await client.end().catch(() => undefined)
      throw error
    }
    // Closed while it was connecting: nobody would end this connection.
    if (isClosing) return client.end()
    held = client
    client.once('end', () => {
      held = undefined
      if (isClosing) return
      onError(new Error('the connection broke that says that this process is alive'))
      returning = comeBack()
    })
  }
  const comeBack = async (): Promise<void> => {
    while (!isClosing && held === undefined) {
      await pause(retryEveryMs, undefined, { ref: false })
      if (!isClosing) await take().catch(onError)
    }
  }
  await take()
  return {
    isHeld: () => held !== undefined,
    async close() {
      isClosing = true
      // Unreferenced, so that the pause does not keep the process alive.
      await Promise.race([returning, pause(0)])
      await held?.end()
    },
  }
}
