/** How the token vectors of a text become its vector: their mean, the first one, or the last one. */
export const poolings = ['mean', 'cls', 'last_token'] as const
export type Pooling = (typeof poolings)[number]

/** Vectors of tokens as a model returns them: texts, tokens and numbers in sequence. */
export interface TokenVectors {
  readonly numbers: ArrayLike<number>
  readonly texts: number
  readonly tokens: number
  readonly length: number
}

/**
 * One vector for each text, of length 1.
 *
 * @param isToken by text and token: false for padding
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

/** Padding may precede or follow a text. */
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

/** @param max dimensions that are kept: some models are made for truncation */
export function unitVector(numbers: ArrayLike<number>, max = numbers.length): Float32Array {
  const kept = Float64Array.from(numbers).subarray(0, max)
  const length = Math.sqrt(kept.reduce((sum, number) => sum + number * number, 0))
  return Float32Array.from(kept, (number) => (length === 0 ? number : number / length))
}
