/** A vector that was compared: what its signs say, and its similarity. */
export interface ComparedVector {
  /** The weighted difference of its signs. */
  readonly difference: number
  readonly similarity: number
}

/** Of a normal distribution, one in 740 is farther above its mean. */
const likelyDeviations = 3

/**
 * How much the signs of a vector may differ so that it is likely among the nearest. How well signs predict similarities is seen in those that
 * were compared: a line through them, and how far they are from it. Sums in a fixed order do not depend on the order of the vectors.
 *
 * @param needed how many of the nearest have to be found
 */
export function largestLikelyDifference(compared: readonly ComparedVector[], needed: number): number {
  const ordered = compared.toSorted(
    (one, other) => one.difference - other.difference || one.similarity - other.similarity,
  )
  const similarities = Float64Array.from(ordered, ({ similarity }) => similarity).sort()
  const wanted = similarities.at(-needed)
  if (wanted === undefined) return Number.POSITIVE_INFINITY
  const meanOf = (numberOf: (each: ComparedVector) => number): number =>
    ordered.reduce((sum, each) => sum + numberOf(each), 0) / ordered.length
  const [difference, similarity] = [meanOf((each) => each.difference), meanOf((each) => each.similarity)]
  const variance = meanOf((each) => (each.difference - difference) ** 2)
  const slope = meanOf((each) => (each.difference - difference) * (each.similarity - similarity)) / variance
  // Signs that say nothing: all differ as much, or the less similar ones do not differ more.
  if (!(slope < 0)) return Number.POSITIVE_INFINITY
  const predicted = (each: ComparedVector): number => similarity + slope * (each.difference - difference)
  const deviation = Math.sqrt(meanOf((each) => (each.similarity - predicted(each)) ** 2))
  return difference + (wanted - likelyDeviations * deviation - similarity) / slope
}

/**
 * The largest of the `count` smallest numbers.
 *
 * @returns undefined: there are fewer
 */
export function lastOfSmallest(numbers: Uint32Array, count: number): number | undefined {
  return numbers.toSorted()[count - 1]
}
