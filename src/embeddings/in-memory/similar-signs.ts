/**
 * The vectors whose signs differ from the query's in the fewest dimensions: at least `min`, and all that differ in as many as the last
 * of these. So the order in which vectors are added does not matter.
 */
export class SimilarSigns {
  /** Vectors with more differences are not among them any more. */
  max: number
  readonly #min: number
  /** How many vectors differ in so many dimensions. */
  readonly #counts: Uint32Array
  #count = 0
  readonly #places: number[] = []
  readonly #differences: number[] = []

  constructor(dimensions: number, min: number) {
    this.max = dimensions
    this.#min = min
    this.#counts = new Uint32Array(dimensions + 1)
  }

  /** @param differences at most `max` */
  add(place: number, differences: number): void {
    this.#places.push(place)
    this.#differences.push(differences)
    this.#counts[differences] = (this.#counts[differences] as number) + 1
    this.#count++
    for (;;) {
      const without = this.#count - (this.#counts[this.max] as number)
      if (without < this.#min) return
      this.#count = without
      this.max--
    }
  }

  /** In the order in which they were added. */
  places(): readonly number[] {
    return this.#places.filter((_, at) => (this.#differences[at] as number) <= this.max)
  }
}
