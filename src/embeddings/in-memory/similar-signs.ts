const firstCapacity = 4_096

/** Whether the vector at a place is one of them; null: there is no such vector, or no such condition. */
export type IsPlace = ((place: number) => boolean) | null

/** Vectors by their places, and in how many signs each differs from the query's. Used again by each search: it only grows. */
export class SimilarSigns {
  count = 0
  places = new Int32Array(firstCapacity)
  differences = new Uint16Array(firstCapacity)
  /** Vectors that are selected in addition to the others, as near as these; null: none. */
  isRemoved: IsPlace = null
  /** How many vectors, without removed ones, differ in so many dimensions. */
  readonly #counts: Uint32Array

  constructor(dimensions: number) {
    this.#counts = new Uint32Array(dimensions + 1)
  }

  /** Makes place for so many more. */
  reserve(more: number): void {
    const needed = this.count + more
    if (needed <= this.places.length) return
    const { places, differences } = this
    this.places = new Int32Array(needed * 2)
    this.places.set(places)
    this.differences = new Uint16Array(needed * 2)
    this.differences.set(differences)
  }

  add(place: number, differences: number): void {
    this.places[this.count] = place
    this.differences[this.count] = differences
    this.count++
  }

  /**
   * In how many signs the last of the `min` most similar ones differs. Removed ones do not count.
   *
   * @returns undefined: there are fewer
   */
  differencesOfLast(min: number): number | undefined {
    const { isRemoved } = this
    this.#counts.fill(0)
    for (let at = 0; at < this.count; at++) {
      if (isRemoved?.(this.places[at] as number)) continue
      const differences = this.differences[at] as number
      this.#counts[differences] = (this.#counts[differences] as number) + 1
    }
    let count = 0
    for (const [differences, more] of this.#counts.entries()) {
      count += more
      if (count >= min) return differences
    }
    return undefined
  }

  /**
   * Leaves the most similar ones, in their order: at least `min`, and all that differ in as many signs as the last of these. So the order
   * in which vectors are added does not matter.
   */
  keepNearest(min: number): void {
    const max = this.differencesOfLast(min)
    if (max === undefined) return
    let kept = 0
    for (let at = 0; at < this.count; at++) {
      if ((this.differences[at] as number) > max) continue
      this.places[kept] = this.places[at] as number
      this.differences[kept] = this.differences[at] as number
      kept++
    }
    this.count = kept
  }
}
