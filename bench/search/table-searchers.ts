import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SearcherOutcome } from './table-searcher.ts'

export interface SearcherPlaces {
  /** Where the tables are. */
  readonly tables: string
  /** Where LanceDB is installed. */
  readonly packages: string
  /** A folder with what stays in memory of each segment, in a file each. */
  readonly moved: string
}

/** Processes that search the same tables. */
export class TableSearchers {
  readonly #processes

  constructor(count: number, { tables, packages, moved }: SearcherPlaces) {
    const file = fileURLToPath(new URL('table-searcher.ts', import.meta.url))
    this.#processes = Array.from({ length: count }, () => fork(file, [tables, packages, moved]))
  }

  /** One after the other. */
  async byTurns(): Promise<readonly SearcherOutcome[]> {
    const outcomes: SearcherOutcome[] = []
    for (const at of this.#processes.keys()) outcomes.push(await this.#search(at))
    return outcomes
  }

  /** All of them at the same time. */
  atOnce(): Promise<readonly SearcherOutcome[]> {
    return Promise.all([...this.#processes.keys()].map((at) => this.#search(at)))
  }

  /** All of them at the same time, again and again until the work is done. */
  async beside(work: () => Promise<void>): Promise<readonly SearcherOutcome[]> {
    const outcomes: SearcherOutcome[] = []
    let isDone = false
    const working = work().finally(() => {
      isDone = true
    })
    while (!isDone) outcomes.push(...(await this.atOnce()))
    await working
    return outcomes
  }

  close(): void {
    for (const each of this.#processes) each.kill()
  }

  async #search(at: number): Promise<SearcherOutcome> {
    const searcher = this.#processes[at]
    if (searcher === undefined) throw new RangeError(`there is no process ${at}`)
    const ended = new AbortController()
    const dead = once(searcher, 'exit', { signal: ended.signal }).then(() => {
      throw new Error(`process ${at} of the searches ended`)
    })
    dead.catch(() => undefined)
    try {
      const responded = once(searcher, 'message', { signal: ended.signal })
      searcher.send('search')
      const [outcome] = await Promise.race([responded, dead])
      return outcome as SearcherOutcome
    } finally {
      ended.abort()
    }
  }
}
