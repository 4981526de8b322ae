import type { AccessRule } from '../../catalog/catalog.ts'
import { findTablesWithoutRules } from '../../catalog/find-tables-without-rules.ts'
import { sql } from '../../kernel/sql.ts'
import { type Check, type DatabaseGround, listNames } from '../check.ts'

/** Own and adopted tables that nobody but administrators can read, because no rule names them. */
export const checkTables: Check<DatabaseGround> = {
  name: 'tables',
  async run({ database, catalog }) {
    const rows = await database.rows(sql<{ name: string }>`
      select name from docket.sys_db_table where sys_created_by is not null or adopted_key is not null order by name`)
    const own = new Set(rows.map(({ name }) => name).filter((name) => catalog.tables.has(name)))
    const summary = `${catalog.tables.size}, ${own.size} of them your own`
    if (catalog.rules.some(opensEveryTable)) return { summary, findings: [] }
    const names = findTablesWithoutRules(catalog)
      .filter(({ table, operations }) => own.has(table) && operations.includes('read'))
      .map(({ table }) => table)
    if (names.length === 0) return { summary, findings: [] }
    const what = 'No access rule lets anybody but administrators read'
    const cure = `create a rule: POST /rest/v1/table/sys_security_acl {"operation":"read","table_name":"${names[0]}","roles":[…]}`
    return { summary, findings: [{ fault: 'table-without-rules', what, where: listNames(names), cure }] }
  },
}

/** For others than administrators. */
function opensEveryTable({ operation, table, column, roles }: AccessRule): boolean {
  if (operation !== 'read' || column !== null || table !== '*') return false
  return roles.length === 0 || roles.some((role) => role !== 'admin')
}
