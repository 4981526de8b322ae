import type { Session } from '../../database/database.ts'
import type { EngineContents } from '../../search-engine/search-engine.ts'
import type { NewHistory } from '../../search-engine/segments/index-change.ts'
import { documentPages, readCollectionIds } from './read-collection.ts'
import { type AddedDocument, type Changes, readLogState } from './read-document-changes.ts'

export interface ComparedDocuments extends Pick<Changes, 'historyId' | 'position' | 'added' | 'removed'> {
  readonly restored: NewHistory['restored']
}

/**
 * Differences to the database, independent of the change log: for an index that did not follow for long, and for one
 * that followed changes that the database lost. An id identifies one document in all histories, so only ids are
 * compared.
 */
export async function compareDocuments(
  session: Session,
  engine: EngineContents,
  skippedCollections: ReadonlySet<number>,
): Promise<ComparedDocuments> {
  const { historyId, position } = await readLogState(session)
  const added: AddedDocument[] = []
  const removed: Changes['removed'][number][] = []
  const restored: NewHistory['restored'][number][] = []
  for (const collectionId of new Set([...(await readCollectionIds(session)), ...(await engine.collectionIds())])) {
    if (skippedCollections.has(collectionId)) continue
    const left = new Set(await engine.writtenIds(collectionId))
    const hidden = new Set(await engine.removedIds(collectionId))
    for await (const { ids, addedAt, chunkCounts } of documentPages(session, collectionId, position))
      for (const [at, id] of ids.entries()) {
        if (hidden.has(id)) restored.push({ collectionId, documentId: id })
        else if (!left.delete(id))
          added.push({ id, collectionId, position: addedAt[at] ?? 0, chunkCount: chunkCounts[at] ?? 0 })
      }
    for (const documentId of left) removed.push({ collectionId, documentId, position })
  }
  return { historyId, position, added, removed, restored }
}
