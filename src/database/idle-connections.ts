import type pg from 'pg'
import type { ByteClient } from './byte-client.ts'

export type PooledClient = pg.PoolClient & ByteClient

/** A connection that no statement needed for so long goes back to the pool, which closes it in time. */
const defaultUnusedMs = 5_000

/**
 * Connections between two statements. The driver's pool takes 5 µs of a point read's 200 to give out a connection and take it back: it
 * sets two timers, adds and removes listeners, and waits a turn of the event loop. So a connection stays here, except where a caller
 * waits in the pool.
 */
export class IdleClients {
  readonly #pool: pg.Pool
  /** The one that was used last is at the end. */
  readonly #idle: PooledClient[] = []
  /** How many of them, from the beginning, were not used since the last look. */
  #unused = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  readonly #unusedMs: number

  constructor(pool: pg.Pool, unusedMs = defaultUnusedMs) {
    this.#pool = pool
    this.#unusedMs = unusedMs
  }

  /** Whether connections should be given back as soon as possible: a statement waits for one, or the pool is closing. */
  get isPressed(): boolean {
    return this.#isClosed || this.#pool.waitingCount > 0
  }

  /** Every connection that is taken is given back. @returns a promise if the pool must free or open one */
  take(): PooledClient | Promise<PooledClient> {
    let client = this.#idle.pop()
    while (client?.isLost === true) {
      client.release(true)
      client = this.#idle.pop()
    }
    this.#unused = Math.min(this.#unused, this.#idle.length)
    return client ?? (this.#pool.connect() as Promise<PooledClient>)
  }

  /** @param isBroken the connection cannot be used again */
  giveBack(client: PooledClient, isBroken: boolean): void {
    if (isBroken || this.#isClosed || this.#pool.waitingCount > 0) {
      client.release(isBroken)
      return
    }
    this.#idle.push(client)
    this.#timer ??= this.#startTimer()
  }

  /** Waits for running statements, then closes every connection. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const client of this.#idle.splice(0)) client.release()
    await this.#pool.end()
  }

  #startTimer(): NodeJS.Timeout {
    return setTimeout(() => this.#releaseUnused(), this.#unusedMs).unref()
  }

  #releaseUnused(): void {
    for (const client of this.#idle.splice(0, this.#unused)) client.release()
    this.#unused = this.#idle.length
    this.#timer = this.#unused === 0 ? undefined : this.#startTimer()
  }
}
