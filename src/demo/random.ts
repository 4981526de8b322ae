/** Pseudo-random numbers, equal on every machine: the demo desk is a function of its seed and of "now". */
export interface Random {
  /** At least 0, less than 1. */
  next(): number
  /** An integer, both ends inclusive. */
  between(min: number, max: number): number
  chance(probability: number): boolean
  /** @throws RangeError when there is nothing to pick from */
  pick<T>(values: readonly T[]): T
  /** Each value in proportion to its weight; weights are positive and need no particular sum. */
  pickWeighted<T>(values: readonly (readonly [value: T, weight: number])[]): T
  /** Up to `count` different values, in random order. */
  sample<T>(values: readonly T[], count: number): readonly T[]
  /** Around `median`, most values within a factor of `spread` of it and a long tail upwards, like times of work. */
  longTailed(median: number, spread: number): number
}

/** sfc32 (PractRand, public domain): 128 bits of state, passes the usual batteries, a few nanoseconds a number. */
export function randomFrom(seed: number): Random {
  let a = seed | 0
  let b = 0x9e3779b9 | 0
  let c = 0x243f6a88 | 0
  let counter = 1
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 4_294_967_296
  }
  // The first numbers still correlate with the seed.
  for (let warmUp = 0; warmUp < 16; warmUp++) next()

  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (values) => at(values, between(0, values.length - 1)),
    pickWeighted: (values) => pickWeighted(values, next()),
    sample(values, count) {
      const left = [...values]
      const taken: (typeof values)[number][] = []
      while (taken.length < count && left.length > 0) taken.push(...left.splice(between(0, left.length - 1), 1))
      return taken
    },
    longTailed: (median, spread) => median * spread ** normal(next(), next()),
  }
}

function at<T>(values: readonly T[], position: number): T {
  if (position < 0 || position >= values.length) throw new RangeError('nothing to pick from')
  return values[position] as T
}

function pickWeighted<T>(values: readonly (readonly [value: T, weight: number])[], fraction: number): T {
  let left = fraction * values.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [value, weight] of values) {
    left -= weight
    if (left < 0) return value
  }
  return at(values, values.length - 1)[0]
}

/** Box and Muller: a standard normal number from two uniform ones. */
function normal(u: number, v: number): number {
  return Math.sqrt(-2 * Math.log(1 - u)) * Math.cos(2 * Math.PI * v)
}
