import type { Session } from '../../database/database.ts'
import type { EngineContents } from '../../search-engine/search-engine.ts'
import type { NewHistory } from '../../search-engine/segments/live-segments.ts'
import { type AddedDocument, type Changes, readDocumentIds } from './read-changes.ts'

export interface ComparedDocuments extends Pick<Changes, 'historyId' | 'position' | 'added' | 'removed'> {
  readonly restored: NewHistory['restored']
}

/**
 * What is different from the database, whatever the change log says: for an index that did not follow for long, and for one that
 * followed changes that the database lost. An id names one document in all histories, so ids alone are compared.
 */
export async function compareDocuments(
  session: Session,
  engine: EngineContents,
  skippedCollections: ReadonlySet<number>,
): Promise<ComparedDocuments> {
  const { historyId, position, documents } = await readDocumentIds(session)
  const there = Map.groupBy(documents, ({ collectionId }) => collectionId)
  const added: AddedDocument[] = []
  const removed: Changes['removed'][number][] = []
  const restored: NewHistory['restored'][number][] = []
  for (const collectionId of new Set([...there.keys(), ...(await engine.collectionIds())])) {
    if (skippedCollections.has(collectionId)) continue
    const held = new Set(await engine.writtenIds(collectionId))
    const hidden = new Set(await engine.removedIds(collectionId))
    const wanted = new Map((there.get(collectionId) ?? []).map((document) => [document.id, document]))
    for (const [documentId, document] of wanted) {
      if (hidden.has(documentId)) restored.push({ collectionId, documentId })
      else if (!held.has(documentId)) added.push(document)
    }
    for (const documentId of held) if (!wanted.has(documentId)) removed.push({ collectionId, documentId, position })
  }
  return { historyId, position, added, removed, restored }
}
