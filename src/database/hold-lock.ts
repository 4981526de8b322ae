import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { connectOnce } from './connect-once.ts'
import type { Database } from './database.ts'

/** An advisory lock on a connection of its own: PostgreSQL lets go of it when this process is gone, however it died. */
export interface HeldLock {
  /** false while the connection is broken; it is made again by itself. */
  isHeld(): boolean
  close(): Promise<void>
}

const retryEveryMs = 1_000

/**
 * @param key of the lock; nobody else may hold it for longer than a moment
 * @param onError is called when the connection broke or could not be opened again
 * @throws StartFailure when it cannot be made at all
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
      // A server that ends idle sessions would take this one for a dead process.
      await client.query('set idle_session_timeout = 0')
      await client.query('select pg_advisory_lock($1, $2)', [...key])
    } catch (error) {
      await client.end().catch(() => undefined)
      throw error
    }
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
      // Unreferenced, the pause may outlast the process; what it waits for is of no use any more.
      await Promise.race([returning, pause(0)])
      await held?.end()
    },
  }
}
