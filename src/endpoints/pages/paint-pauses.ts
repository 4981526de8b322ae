import { LRUCache } from 'lru-cache'

const firstPauseMs = 1_000
const maxPauseMs = 600_000
const maxLists = 1_000

interface Pause {
  readonly untilMs: number
  readonly forMs: number
}

/**
 * Which lists are left to the browser for some time. A list that was not there in time costs everything twice: its statements run to their
 * end, and the browser requests the same. So after each such attempt a session's list is left to the browser for twice as long as before, and
 * a session has one attempt at a time.
 */
export class PaintPauses {
  readonly #nowMs: () => number
  readonly #running = new Set<string>()
  readonly #pauses = new LRUCache<string, Pause>({ max: maxLists })

  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** @returns null: the list is left to the browser. Otherwise a function to call at the end, with whether the page has its list */
  begin(session: string, address: string): ((isPainted: boolean) => void) | null {
    const list = `${session} ${address}`
    const pause = this.#pauses.get(list)
    if (this.#running.has(session) || (pause !== undefined && this.#nowMs() < pause.untilMs)) return null
    this.#running.add(session)
    return (isPainted) => {
      this.#running.delete(session)
      if (isPainted) this.#pauses.delete(list)
      else this.#pauses.set(list, this.#pauseAfter(pause))
    }
  }

  #pauseAfter(before: Pause | undefined): Pause {
    const forMs = Math.min(maxPauseMs, before === undefined ? firstPauseMs : before.forMs * 2)
    return { untilMs: this.#nowMs() + forMs, forMs }
  }
}
