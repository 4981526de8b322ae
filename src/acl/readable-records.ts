import type { RawBuilder } from 'kysely'
import type { Principal } from '../identity/principal.ts'

/**
 * Tells documents, which know no record service, which records of a table a caller may read by the rules as they are now.
 * `records/rights/readable-records.ts` provides it.
 *
 * @param columns that must be readable on the record, too; one that is not there is readable nowhere
 * @returns makes a condition of an expression for the text of a sys_id (may be null, or none of the table's); a table that is not
 *   there has no readable record
 */
export type ReadableRecords = (
  principal: Principal,
  table: string,
  columns?: readonly string[],
) => Promise<(recordId: RawBuilder<unknown>) => RawBuilder<boolean>>
