import { unitLength } from '../../src/embeddings/similarity.ts'
import { makeRandom } from './corpus.ts'

/** Words that more documents than this share contain say little about a document. */
const maxShare = 0.3
const passageCount = 20_000

/**
 * Draws vectors that behave like those of an embedding model, made of real texts without a model. The vector of a word is the sum of
 * random vectors of the documents that contain it (random indexing), so words of the same subjects are near each other. The vector of a
 * passage is the sum of its words', by how rare they are. Each drawn vector mixes three passages in random parts, with some noise:
 * there are as many different ones as needed.
 */
export function makeTextVectors(texts: readonly string[], length: number, seed = 1): () => Float32Array {
  const random = makeRandom(seed)
  const below = (count: number): number => Math.floor(random() * count)
  const oneOf = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const all = texts.map(wordsOf).filter((words) => words.length >= 5)
  const vectorOfWord = wordVectors(all, length, random)
  const passages = Array.from({ length: passageCount }, () => {
    const words = oneOf(all)
    const from = below(Math.max(1, words.length - 60))
    const sum = new Float32Array(length)
    for (const word of words.slice(from, from + 20 + below(40))) addTo(sum, vectorOfWord.get(word))
    return unitLength(sum)
  })
  const noise = Array.from({ length: 1_000 }, () => unitLength(drawNoise(random, length)))
  return () => {
    const parts = [oneOf(passages), oneOf(passages), oneOf(passages), oneOf(noise)] as const
    const [second, third] = [random() * 0.8, random() * 0.4]
    return parts[0].map((number, at) => {
      const mixed = number + second * (parts[1][at] as number) + third * (parts[2][at] as number)
      return mixed + 0.15 * (parts[3][at] as number)
    })
  }
}

function wordVectors(
  texts: readonly (readonly string[])[],
  length: number,
  random: () => number,
): ReadonlyMap<string, Float32Array> {
  const counts = new Map<string, number>()
  for (const words of texts) for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const vectors = new Map<string, Float32Array>()
  for (const words of texts) {
    const own = drawNoise(random, length)
    for (const word of new Set(words)) {
      const count = counts.get(word) as number
      if (count < 2 || count > texts.length * maxShare) continue
      const vector = vectors.get(word) ?? new Float32Array(length)
      vectors.set(word, vector)
      addTo(vector, own)
    }
  }
  for (const [word, vector] of vectors) {
    const weight = Math.log(texts.length / (counts.get(word) as number))
    vectors.set(
      word,
      unitLength(vector).map((number) => number * weight),
    )
  }
  return vectors
}

function drawNoise(random: () => number, length: number): Float32Array {
  return Float32Array.from({ length }, () => random() + random() + random() - 1.5)
}

function addTo(sum: Float32Array, vector: Float32Array | undefined): void {
  if (vector === undefined) return
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + (vector[at] as number)
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
