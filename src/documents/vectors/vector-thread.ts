import { answerQuestions } from '../index/threads/worker-thread.ts'
import { HeldVectors, type StoredVectors, type VectorSearch } from './held-vectors.ts'

const held = new HeldVectors()

const work = {
  add: ({ vectors, length }: { readonly vectors: readonly StoredVectors[]; readonly length: number }) =>
    held.add(vectors, length),
  forget: ({
    documentIds,
    collectionIds,
  }: {
    readonly documentIds: readonly number[]
    readonly collectionIds: readonly number[]
  }) => held.forget(documentIds, collectionIds),
  search: (search: VectorSearch) => held.search(search),
}
export type VectorWork = typeof work

answerQuestions(work)
