import type { Principal } from '../identity/principal.ts'
import type { Sql } from '../kernel/sql.ts'

/**
 * Tells the documents module, which does not depend on the record service, which records of a table a caller may read under the
 * current rules. `records/rights/readable-records.ts` implements it.
 *
 * @param columns must also be readable on the record; a column that does not exist is never readable
 * @returns a function that turns an expression for the text of a sys_id into a condition. The sys_id may be null or unknown in
 *   the table. A table that does not exist has no readable records
 */
export type ReadableRecords = (
  principal: Principal,
  table: string,
  columns?: readonly string[],
) => Promise<(recordId: Sql<unknown>) => Sql<boolean>>
