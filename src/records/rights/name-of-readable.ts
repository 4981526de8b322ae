import type { Table } from '../../catalog/catalog.ts'
import { classIdsOf } from '../../catalog/class-ids.ts'
import { readSysId } from '../../column-types/record-key.ts'
import type { Principal } from '../../identity/principal.ts'
import { sql } from '../../kernel/sql.ts'
import { rowsWhere } from '../plan/plan-row-access.ts'
import { allOf } from '../plan/predicates.ts'
import type { RecordDeps } from '../record-deps.ts'
import { bindParams } from '../run/bind-params.ts'
import { storageOf } from '../sql/adopted-storage.ts'
import { Aliases, embed, Row } from '../sql/from-clause.ts'

/** The id under which other rows refer to a record, or null if there is no such record that the caller may read. */
export async function nameOfReadable(
  deps: RecordDeps,
  { principal, table, sysId }: { readonly principal: Principal; readonly table: Table; readonly sysId: string },
): Promise<string | null> {
  const id = readSysId(sysId, table.key)
  if (id === null) return null
  const catalog = await deps.catalog.upToDate()
  const row = new Row('r', table)
  const classes = classIdsOf(table, catalog)
  const rights = { catalog, access: deps.accessFor(catalog, principal) }
  const readable = allOf([{ kind: 'class', ids: classes }, rowsWhere('read', table, rights)])
  const statement = sql<{ name: string }>`select ${row.name()} as name from ${storageOf(table)} as r
    where ${row.isRequested(sql`${id}`)} and ${embed(readable, row, new Aliases())}`
  const [found] = await deps.database.rows<{ name: string }>(
    bindParams(statement, { principal, catalog, nowMs: deps.clock.nowMs() }),
  )
  return found?.name ?? null
}
