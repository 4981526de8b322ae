import type { Session } from '../../database/database.ts'
import type { StoredVectors } from '../in-memory/collection-vectors.ts'
import { readVectors, type WholeDocument } from './read-vectors.ts'
import { VectorPage } from './vector-page.ts'

/** The vectors of complete documents, in the form that threads receive. The next ones replace them in the memory of the page. */
export async function* storedVectors(
  session: Session,
  modelId: number,
  whole: readonly WholeDocument[],
  length: number,
  page = new VectorPage(),
): AsyncGenerator<readonly StoredVectors[]> {
  const documents = new Map(whole.map((document) => [document.id, document]))
  for await (const written of readVectors(session, modelId, [...documents.keys()], length, page))
    yield written.flatMap(({ documentId, firstChunk, numbers }) => {
      const document = documents.get(documentId)
      if (document === undefined) return []
      const { collectionId, docId } = document
      return [{ collectionId, documentId, docId, firstChunk, numbers }]
    })
}
