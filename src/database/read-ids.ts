import { ascendingIds } from '../kernel/ascending-ids.ts'
import { type Sql, sql } from '../kernel/sql.ts'
import type { Session } from './database.ts'

/** How far apart the ids of one string are at most. */
const idsOfPage = 65_536

/**
 * Groups ids, so that each string of them is at most some hundred kilobytes: one string of all ids would fail at 512 MB, the longest string
 * of the driver.
 *
 * @param id SQL of a bigint
 */
export const idPage = (id: Sql<unknown>): Sql<unknown> => sql`${id} / ${sql.lit(idsOfPage)}`

/**
 * Ids as numbers, because there may be millions.
 *
 * @param ids a statement with a column `id`
 * @returns ascending
 */
export async function readIds(session: Pick<Session, 'rows'>, ids: Sql<unknown>): Promise<Float64Array> {
  const pages = await session.rows(sql<{ ids: string }>`
    select string_agg(found.id::text, ',') as ids from (${ids}) as found group by ${idPage(sql`found.id`)}`)
  return ascendingIds(pages.map(({ ids }) => ids))
}
