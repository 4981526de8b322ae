import { makeRandom } from './corpus.ts'

/** Vectors around 1,000 centres, as texts are about subjects. The same seed gives the same vectors. */
export function makeVectors(length: number, seed = 1): () => Float32Array {
  const random = makeRandom(seed)
  const drawAround = (centre: Float32Array | null): Float32Array =>
    Float32Array.from({ length }, (_, at) => (centre?.[at] ?? 0) + random() + random() + random() - 1.5)
  const centres = Array.from({ length: 1_000 }, () => drawAround(null))
  return () => drawAround(centres[Math.floor(random() * centres.length)] ?? null)
}
