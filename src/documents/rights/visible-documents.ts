import type { ReadableRecords } from '../../acl/readable-records.ts'
import type { Principal } from '../../identity/principal.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import type { Collection } from '../store/collections.ts'

/**
 * The one place that decides which documents a caller sees; every path includes it in its statement.
 *
 * @param collections that the caller may read (`readableCollections`)
 * @returns a condition on a row `d` of docket_documents.document, which may be a removed version; null if all documents
 * of the collections are visible, so that no condition is needed
 */
export async function visibleDocuments(
  readable: ReadableRecords,
  principal: Principal,
  collections: readonly Collection[],
): Promise<Sql<boolean> | null> {
  const bound = Map.groupBy(collections.filter(isBound), ({ aclTable, aclColumns }) =>
    [aclTable ?? '', ...aclColumns].join(' '),
  )
  if (bound.size === 0) return null
  const alternatives: Sql<unknown>[] = []
  const open = collections.filter((collection) => !isBound(collection)).map(({ id }) => id)
  if (open.length > 0) alternatives.push(sql`d.collection_id = any (${open}::integer[])`)
  for (const [guards, mates] of bound) {
    const [table = '', ...columns] = guards.split(' ')
    const mayRead = await readable(principal, table, columns)
    alternatives.push(
      sql`(d.collection_id = any (${mates.map(({ id }) => id)}::integer[]) and ${mayRead(sql`d.record_id`)})`,
    )
  }
  return sql<boolean>`(${sql.join(alternatives, sql` or `)})`
}

/** Whether some documents may be hidden from a caller who may read the collection. */
export function isBound({ aclTable }: Collection): boolean {
  return aclTable !== null
}

/** The conjunction; null counts as true. */
export function bothOf(one: Sql<boolean> | null, other: Sql<boolean> | null): Sql<boolean> | null {
  if (one === null || other === null) return one ?? other
  return sql<boolean>`(${one} and ${other})`
}
