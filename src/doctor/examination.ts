import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../kernel/clock.ts'
import type { Line } from './describe-reports.ts'

/** The latest examination of the installation by a running server. */
export interface Examined {
  /** `failed`: the last examination could not run; `lines` are those of the one before. */
  readonly state: 'running' | 'done' | 'failed'
  /** When the examination that `lines` are of ended; null: none has. */
  readonly endedMs: number | null
  readonly lines: readonly Line[]
}

/** An examination reads every document's row and the names of all files. */
const REPEAT_AFTER_MS = 600_000
/** How long a request waits for an examination: that of a small installation ends within this time. */
const PATIENCE_MS = 2_000

/** Runs the checks on demand, one examination at a time, and remembers the result. */
export class Examination {
  readonly #examine: (stopping: AbortSignal) => Promise<readonly Line[]>
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  #running: Promise<void> | null = null
  #latest: { readonly endedMs: number; readonly lines: readonly Line[] } | null = null
  /** When the last one ended, with or without a result. */
  #triedMs = Number.NEGATIVE_INFINITY
  #hasFailed = false
  readonly #stopping = new AbortController()

  constructor(
    examine: (stopping: AbortSignal) => Promise<readonly Line[]>,
    { clock, onError }: { readonly clock: Clock; readonly onError: (error: unknown) => void },
  ) {
    this.#examine = examine
    this.#clock = clock
    this.#onError = onError
  }

  /** Begins an examination unless the last one is recent enough. Does not wait long for its end. */
  async latest(): Promise<Examined> {
    if (this.#running === null && this.#clock.nowMs() - this.#triedMs >= REPEAT_AFTER_MS) this.#running = this.#run()
    if (this.#running !== null) {
      const patience = new AbortController()
      await Promise.race([
        this.#running,
        wait(PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => undefined),
      ])
      patience.abort()
    }
    const state = this.#running !== null ? 'running' : this.#hasFailed ? 'failed' : 'done'
    return { state, endedMs: this.#latest?.endedMs ?? null, lines: this.#latest?.lines ?? [] }
  }

  /** Ends a running examination after its current check. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      const lines = await this.#examine(this.#stopping.signal)
      this.#latest = { endedMs: this.#clock.nowMs(), lines }
      this.#hasFailed = false
    } catch (error) {
      this.#hasFailed = true
      if (!this.#stopping.signal.aborted) this.#onError(error)
    } finally {
      this.#triedMs = this.#clock.nowMs()
      this.#running = null
    }
  }
}
