import type { Session } from '../../database/database.ts'
import type { StoredVectors } from '../in-memory/collection-vectors.ts'
import { readVectors, type WholeDocument } from './read-vectors.ts'

/** The vectors of complete documents, in the form that threads receive. */
export async function* storedVectors(
  session: Session,
  modelId: number,
  whole: readonly WholeDocument[],
  length: number,
): AsyncGenerator<readonly StoredVectors[]> {
  const documents = new Map(whole.map((document) => [document.id, document]))
  for await (const written of readVectors(session, modelId, [...documents.keys()], length))
    yield written.flatMap(({ documentId, firstChunk, buffer }) => {
      const document = documents.get(documentId)
      if (document === undefined) return []
      const { collectionId, docId } = document
      return [{ collectionId, documentId, docId, firstChunk, buffer }]
    })
}
