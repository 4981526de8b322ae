import { docket } from '../docket.ts'
import { maxNamed } from '../live/use-table-events.ts'

/** @returns the sys_ids of records that are not there any more, or that the user may not read any more */
export async function missingOf(table: string, sysIds: Iterable<string>): Promise<ReadonlySet<string>> {
  const missing = new Set(sysIds)
  const all = [...missing]
  for (let at = 0; at < all.length; at += maxNamed) {
    const query = `sys_idIN${all.slice(at, at + maxNamed).join(',')}`
    const { rows } = await docket.table(table).page(query, { fields: ['sys_id'], display: 'all', limit: maxNamed })
    for (const row of rows) missing.delete(String(row['sys_id']?.value))
  }
  return missing
}
