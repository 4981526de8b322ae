import { DocumentSums, type Fingerprints } from '../segments/fingerprints.ts'
import { type Segment, u32 } from '../segments/segment.ts'
import type { PackedRow } from './chunk-rows.ts'

/**
 * The fingerprints of the documents of a segment whose postings are in a table, row by row: they equal those of the whole segment, which
 * is never in memory.
 *
 * @param rows all of them, in the order of the chunks
 */
export async function fingerprintsOfRows(moved: Segment, rows: AsyncIterable<PackedRow>): Promise<Fingerprints> {
  const { chunkCount, tokenStart } = moved
  const found = new DocumentSums(moved)
  let read = 0
  for await (const row of rows) {
    const { chunk } = row
    if (chunk !== read || row.tokens !== u32(tokenStart, chunk + 1) - u32(tokenStart, chunk))
      throw new Error('a row of a table of chunks is damaged')
    for (let at = 0; at < row.terms; at++) found.addTerm(chunk, row.ordinal(at), row.weight(at))
    for (let at = 0; at < row.tokens; at++) found.addToken(chunk, row.token(at))
    read++
  }
  if (read !== chunkCount) throw new Error(`a table of chunks has ${read} rows instead of ${chunkCount}`)
  return found.fingerprints()
}
