/** A search, or other work that needs states of the index from a sequence number on. */
export interface BegunSearch {
  /** Sequence number of the change log of the index when the search began. */
  readonly from: number
  readonly ended: Promise<void>
  end(): void
}

/** Work in progress: earlier states of the index stay searchable for it. */
export class BegunSearches {
  readonly #begun = new Set<BegunSearch>()

  begin(from: number): BegunSearch {
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const begun = {
      from,
      ended,
      end: () => {
        this.#begun.delete(begun)
        resolve()
      },
    }
    this.#begun.add(begun)
    return begun
  }

  /** @param newest sequence number of the index */
  oldest(newest: number): number {
    return Math.min(newest, ...[...this.#begun].map(({ from }) => from))
  }

  /** Resolves when no other search needs a state before this one. */
  async untilNoneBefore(position: number, own: BegunSearch): Promise<void> {
    const others = [...this.#begun].filter((each) => each !== own && each.from < position)
    await Promise.all(others.map(({ ended }) => ended))
  }
}
