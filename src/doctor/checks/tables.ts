import { sql } from 'kysely'
import type { AccessRule, Table } from '../../catalog/catalog.ts'
import { type Check, type DatabaseGround, listNames } from '../check.ts'

/** Own and adopted tables that nobody but administrators can read, because no rule speaks of them. */
export const checkTables: Check<DatabaseGround> = {
  name: 'tables',
  async run({ database, catalog }) {
    const rows = await database.rows(sql<{ name: string }>`
      select name from docket.sys_db_table where sys_created_by is not null or adopted_key is not null order by name`)
    const tables = rows.flatMap(({ name }) => catalog.tables.get(name) ?? [])
    const closed = tables.filter((table) => !catalog.rules.some((rule) => opens(rule, table)))
    const summary = `${catalog.tables.size}, ${tables.length} of them your own`
    if (closed.length === 0) return { summary, findings: [] }
    const names = closed.map(({ name }) => name)
    const what = 'No access rule lets anybody but administrators read'
    const cure = `create a rule: POST /rest/v1/table/sys_security_acl {"operation":"read","table_name":"${names[0]}","roles":[…]}`
    return { summary, findings: [{ fault: 'table-without-rules', what, where: listNames(names), cure }] }
  },
}

/** A rule of the table or of a parent, or one of all tables that is not for administrators alone. */
function opens({ operation, table, column, roles }: AccessRule, { lineage }: Table): boolean {
  if (operation !== 'read' || column !== null) return false
  if (table !== '*') return lineage.includes(table)
  return roles.length === 0 || roles.some((role) => role !== 'admin')
}
