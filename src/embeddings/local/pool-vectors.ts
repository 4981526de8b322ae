/** How the vectors of a text's tokens become the text's: their mean, the first one's, or the last one's. */
export const poolings = ['mean', 'cls', 'last_token'] as const
export type Pooling = (typeof poolings)[number]

/** Vectors of tokens as a model gives them: texts, tokens and numbers, one after the other. */
export interface TokenVectors {
  readonly numbers: ArrayLike<number>
  readonly texts: number
  readonly tokens: number
  readonly length: number
}

/**
 * One vector for each text, of length 1.
 *
 * @param isToken by text and token: false for what only fills a text up to the length of the longest
 */
export function poolVectors(
  vectors: TokenVectors,
  isToken: (text: number, token: number) => boolean,
  pooling: Pooling,
): readonly Float32Array[] {
  return Array.from({ length: vectors.texts }, (_, text) => {
    const own = Array.from({ length: vectors.tokens }, (_, token) => token).filter((token) => isToken(text, token))
    return unitVector(poolText(vectors, text, pooling === 'mean' ? own : own.slice(...oneOf[pooling])))
  })
}

/** Padding may stand before a text as well as behind it. */
const oneOf = { cls: [0, 1], last_token: [-1] } as const

function poolText(
  { numbers, tokens, length }: TokenVectors,
  text: number,
  chosen: readonly number[],
): readonly number[] {
  const sum = new Array<number>(length).fill(0)
  for (const token of chosen) {
    const from = (text * tokens + token) * length
    for (let at = 0; at < length; at++) sum[at] = (sum[at] ?? 0) + Number(numbers[from + at])
  }
  return sum.map((number) => number / Math.max(chosen.length, 1))
}

/** @param max numbers that are kept: models that are made for it may be cut off */
export function unitVector(numbers: ArrayLike<number>, max = numbers.length): Float32Array {
  const kept = Float64Array.from(numbers).subarray(0, max)
  const length = Math.sqrt(kept.reduce((sum, number) => sum + number * number, 0))
  return Float32Array.from(kept, (number) => (length === 0 ? number : number / length))
}
