import type { ReadableRecords } from '../../acl/readable-records.ts'
import { classIdsOf } from '../../catalog/class-ids.ts'
import { sql } from '../../kernel/sql.ts'
import { columnWhere, rowsWhere } from '../plan/plan-row-access.ts'
import { allOf, FALSE } from '../plan/predicates.ts'
import type { RecordDeps } from '../record-deps.ts'
import { fits } from '../run/adopted-table-drift.ts'
import { bindParams } from '../run/bind-params.ts'
import { storageOf } from '../sql/adopted-storage.ts'
import { Aliases, embed, Row } from '../sql/from-clause.ts'

export const readableRecords = (deps: RecordDeps): ReadableRecords => authorizedRecords(deps, 'read')

/** As `readableRecords`, for another action on the rows. */
export function authorizedRecords(deps: RecordDeps, action: 'create' | 'read' | 'write' | 'delete'): ReadableRecords {
  return async (principal, name, columns = []) => {
    const catalog = await deps.catalog.upToDate()
    const table = catalog.tables.get(name)
    if (table === undefined) return () => sql<boolean>`false`
    // A table that drifted must not make a search of several tables fail.
    if (table.adopted !== null && !(await fits(deps, table))) return () => sql<boolean>`false`
    const rights = { catalog, access: deps.accessFor(catalog, principal) }
    const classes = classIdsOf(table, catalog)
    const visible = columns.map((column) => {
      const known = table.columns.get(column)
      return known === undefined ? FALSE : columnWhere('read', table, known, rights)
    })
    const readable = allOf([{ kind: 'class', ids: classes }, rowsWhere(action, table, rights), ...visible])
    const caller = { principal, catalog, nowMs: deps.clock.nowMs() }
    return (recordId) => {
      const aliases = new Aliases('readable')
      const row = new Row(aliases.next(), table)
      return bindParams(
        sql<boolean>`exists (select from ${storageOf(table)} as ${sql.id(row.alias)}
          where ${row.isNamed(recordId)} and ${embed(readable, row, aliases)})`,
        caller,
      )
    }
  }
}
