import type { LoadedIndex, SearchEngine } from '../../search-engine/search-engine.ts'
import { isSaved } from '../../search-engine/segments/has-saved-index.ts'
import type { LexicalIndexOptions } from './lexical-index.ts'
import { readChanges, readHistoryIds } from './read-document-changes.ts'

/** @returns null: there is no saved index, or it belongs to another database or version */
export async function loadSaved(
  engine: SearchEngine,
  { folder, database }: Pick<LexicalIndexOptions, 'folder' | 'database'>,
): Promise<LoadedIndex | null> {
  if (folder === null || !isSaved(folder)) return null
  const historyIds = await readHistoryIds(database)
  const { position } = await readChanges(database, Number.MAX_SAFE_INTEGER, false)
  return engine.load({ folder, historyIds, position })
}
