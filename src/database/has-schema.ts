import { sql } from '../kernel/sql.ts'
import type { Database } from './database.ts'
import { databaseFailureOf } from './database-failure.ts'

const undefinedTable = '42P01'
const undefinedSchema = '3F000'

/**
 * Whether the database has the tables that every record request reads. False if it was emptied or replaced under a running
 * server.
 *
 * @throws Error of the database if it cannot respond
 */
export async function hasSchema(database: Database): Promise<boolean> {
  try {
    const rows = await database.rows(sql`select from docket_system.epoch, docket."user" limit 1`)
    return rows.length === 1
  } catch (error) {
    const code = databaseFailureOf(error)?.code
    if (code === undefinedTable || code === undefinedSchema) return false
    throw error
  }
}
