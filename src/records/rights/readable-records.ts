import { type RawBuilder, sql } from 'kysely'
import type { Principal } from '../../identity/principal.ts'
import { columnWhere, rowsWhere } from '../plan/plan-rights.ts'
import { allOf, FALSE } from '../plan/predicates.ts'
import type { RecordDeps } from '../record-deps.ts'
import { fits } from '../run/adopted-table-drift.ts'
import { bindParams } from '../run/bind-params.ts'
import { storageOf } from '../sql/adopted-storage.ts'
import { Aliases, embed, Row } from '../sql/from-clause.ts'

/**
 * Which records of a table a caller may read, by the rules as they are now, for statements of other rooms.
 *
 * @param columns that must be readable on the record, too; one that is not there is readable nowhere
 * @returns makes a condition of an expression for the text of a sys_id (may be null, or none of the table's); a table that is not there has no
 *   readable record
 */
export type ReadableRecords = (
  principal: Principal,
  table: string,
  columns?: readonly string[],
) => Promise<(recordId: RawBuilder<unknown>) => RawBuilder<boolean>>

export function readableRecords(deps: RecordDeps): ReadableRecords {
  return async (principal, name, columns = []) => {
    const catalog = await deps.catalog.upToDate()
    const table = catalog.tables.get(name)
    if (table === undefined) return () => sql<boolean>`false`
    // What is searched beside it is served on.
    if (table.adopted !== null && !(await fits(deps, table))) return () => sql<boolean>`false`
    const rights = { catalog, access: deps.accessFor(catalog, principal) }
    const classes = table.descendants.flatMap((member) => catalog.tables.get(member)?.id ?? [])
    const visible = columns.map((column) => {
      const known = table.columns.get(column)
      return known === undefined ? FALSE : columnWhere('read', table, known, rights)
    })
    const readable = allOf([{ kind: 'class', ids: classes }, rowsWhere('read', table, rights), ...visible])
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
