import type { Session } from '../../database/database.ts'
import { type Sql, sql } from '../../kernel/sql.ts'

/**
 * Those documents of some candidates that meet a condition, by words or by vectors.
 *
 * @param condition on a row `d` of docket_documents.document
 */
export async function passingDocuments(
  session: Session,
  candidates: readonly { readonly documentId: number }[],
  condition: Sql<boolean>,
): Promise<ReadonlySet<number>> {
  if (candidates.length === 0) return new Set()
  const ids = [...new Set(candidates.map(({ documentId }) => documentId))]
  const rows = await session.rows(sql<{ id: string }>`
    select d.id from docket_documents.document d where d.id = any (${ids}::bigint[]) and ${condition}`)
  return new Set(rows.map(({ id }) => Number(id)))
}
