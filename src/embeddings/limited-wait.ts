import { lateAfter } from '../kernel/late-after.ts'
import { type NearSearch, VectorsBehind } from './vector-engine.ts'

/** What a search may wait for vectors, one limit for all of its waits. */
export class LimitedWait {
  readonly #waitMs: NearSearch['waitMs']
  #late: ReturnType<typeof lateAfter> | null = null

  constructor({ waitMs }: Pick<NearSearch, 'waitMs'>) {
    this.#waitMs = waitMs
  }

  /** @throws VectorsBehind when the time of the search is over; the work goes on */
  async for(work: () => Promise<void>): Promise<void> {
    this.#late ??= lateAfter((await this.#waitMs?.()) ?? null)
    if ((await Promise.race([work(), this.#late.promise])) === 'late') throw new VectorsBehind()
  }

  end(): void {
    this.#late?.cancel()
  }
}
