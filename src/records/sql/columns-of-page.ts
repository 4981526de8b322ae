import type { Table } from '../../catalog/catalog.ts'
import { systemTable } from '../../catalog/system-tables.ts'
import { sql } from '../../kernel/sql.ts'
import type { Expression } from './expression.ts'

interface ColumnsOfPage {
  /** Read with the rows, also with those before the page. */
  readonly columns: readonly string[]
  /** Computed for the rows of the page; begins with a comma. */
  readonly computed: Expression
}

/**
 * The columns that a page needs. What a view of the log makes of a stored value is made for the rows of the page only: the view would
 * make it for the rows before the page, too, which an offset skips, at 50 µs a row.
 */
export function columnsOfPage({ name: table }: Table, used: ReadonlySet<string>): ColumnsOfPage {
  const madeFrom = systemTable(table).madeFrom ?? {}
  const columns = new Set<string>()
  const computed: Expression[] = []
  for (const name of used) {
    const stored = madeFrom[name]
    for (const each of stored === undefined ? [name] : ['table_id', 'column_name', stored]) columns.add(each)
    if (stored !== undefined)
      computed.push(
        sql`, docket_system.logged_text(page.table_id, page.column_name, page.${sql.id(stored)}) as ${sql.id(name)}`,
      )
  }
  return { columns: [...columns], computed: computed.length === 0 ? sql`` : sql.join(computed, sql``) }
}
