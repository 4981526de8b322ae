import { documentOfChunk } from '../segments/segment.ts'
import type { ChunkTables } from './chunk-tables.ts'
import { chunksIn } from './read-candidates.ts'
import type { TablePart } from './removed-terms.ts'

/**
 * Reads the terms of removed documents that are not known yet, page by page.
 *
 * @returns whether something was read: the state may have changed meanwhile
 */
export async function learnRemoved(tables: ChunkTables, parts: readonly TablePart[]): Promise<boolean> {
  const toLearn = parts.filter(({ unknown }) => unknown.length > 0)
  for (const part of toLearn) await learnPart(tables, part)
  return toLearn.length > 0
}

async function learnPart(tables: ChunkTables, { segment, removed, unknown }: TablePart): Promise<void> {
  const documents = unknown.toSorted((one, other) => one - other)
  let document: number | undefined
  let terms: number[] = []
  const learn = (next?: number): void => {
    if (document !== undefined) removed.learn(document, Uint32Array.from(terms))
    document = next
    terms = []
  }
  const chunks = Uint32Array.from(documents.flatMap((each) => chunksIn(segment, each)))
  for await (const page of tables.pages(segment.table, chunks))
    for (const row of page) {
      const own = documentOfChunk(segment, row.chunk)
      if (own !== document) learn(own)
      for (let at = 0; at < row.terms; at++) terms.push(row.ordinal(at))
    }
  learn()
  // Those without chunks.
  for (const each of documents) removed.learn(each, new Uint32Array(0))
}
