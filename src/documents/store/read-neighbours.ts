import type { Session } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'

/** A chunk beside a found one, in the same version of its document. */
export interface Neighbour {
  readonly documentId: number
  readonly chunkIndex: number
  readonly text: string
  readonly from: number
  readonly to: number
}

interface NeighbourRow {
  readonly document_id: string
  readonly chunk_index: number
  readonly text: string
  readonly from_unit: number
  readonly to_unit: number
}

/**
 * Chunks of the same documents at most this many places before or after. A caller who may see a chunk may see its
 * document.
 *
 * @returns in the order of document and place, without duplicates
 */
export async function readNeighbours(
  session: Session,
  chunks: readonly { readonly documentId: number; readonly chunkIndex: number }[],
  places: number,
): Promise<readonly Neighbour[]> {
  if (chunks.length === 0) return []
  const rows = await session.rows(sql<NeighbourRow>`
    select distinct c.document_id, c.chunk_index, c.text, c.from_unit, c.to_unit
    from unnest(${chunks.map(({ documentId }) => documentId)}::bigint[],
                ${chunks.map(({ chunkIndex }) => chunkIndex)}::integer[]) as found (document_id, chunk_index)
    join docket_documents.chunk c on c.document_id = found.document_id
      and c.chunk_index between found.chunk_index - ${places}::integer and found.chunk_index + ${places}::integer
    order by c.document_id, c.chunk_index`)
  return rows.map(({ document_id, chunk_index, text, from_unit, to_unit }) => ({
    documentId: Number(document_id),
    chunkIndex: chunk_index,
    text,
    from: from_unit,
    to: to_unit,
  }))
}
