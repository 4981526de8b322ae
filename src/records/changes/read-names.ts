import type { Catalog, Column } from '../../catalog/catalog.ts'
import { refersToAny } from '../../column-types/column-types.ts'
import { readSysId } from '../../column-types/record-key.ts'
import type { Principal } from '../../identity/principal.ts'
import { sql } from '../../kernel/sql.ts'
import { callersDisplayOf, type Rights } from '../plan/plan-row-access.ts'
import { allOf } from '../plan/predicates.ts'
import type { RecordDeps } from '../record-deps.ts'
import { bindParams } from '../run/bind-params.ts'
import { storageOf } from '../sql/adopted-storage.ts'
import { Aliases, embed, Row } from '../sql/from-clause.ts'
import { documentParts } from './document-parts.ts'
import type { StoredChange } from './logged-value.ts'

export interface NamesContext {
  readonly deps: RecordDeps
  readonly principal: Principal
  readonly rights: Rights
}

/** Display values of the records that the changes refer to, as far as the caller may see them, by table and sys_id. One statement per table. */
export async function readNames(
  page: readonly StoredChange[],
  { deps, principal, rights }: NamesContext,
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Map<string, Set<string>>()
  const want = (table: string, id: unknown): void => {
    const key = rights.catalog.tables.get(table)?.key
    if (typeof id !== 'string' || key === undefined || readSysId(id, key) === null) return
    wanted.set(table, (wanted.get(table) ?? new Set()).add(id))
  }
  for (const change of page) {
    want('user', change.by)
    const columns = rights.catalog.tablesById.get(change.class)?.columns
    for (const { name, old, new: now } of change.columns) {
      const column = columns?.get(name)
      if (column !== undefined)
        for (const each of referencesIn([old, now], column, rights.catalog)) want(each.table, each.id)
    }
  }
  const names = new Map<string, string>()
  const caller = { principal, catalog: rights.catalog, nowMs: deps.clock.nowMs() }
  for (const [name, ids] of wanted) {
    const target = rights.catalog.tables.get(name)
    const display = target === undefined ? null : callersDisplayOf(target, rights)
    if (target === undefined || display === null || display.column.storage === null) continue
    if (target.adopted?.isDrifted === true) continue
    const row = new Row('r', target)
    const visible = embed(allOf([display.readable, display.visible]), row, new Aliases())
    const rows = await deps.database.rows<{ id: string; displayed: string | null }>(
      bindParams(
        sql<{
          id: string
          displayed: string | null
        }>`select ${row.name()} as id, ${row.storage(display.column.storage)}::text as displayed
          from ${storageOf(target)} as r where ${row.isAmong(sql`${[...ids]}`)} and ${visible}`,
        caller,
      ),
    )
    for (const { id, displayed: text } of rows) if (text !== null) names.set(`${name} ${id}`, text)
  }
  return names
}

interface Reference {
  readonly table: string
  readonly id: unknown
}

function referencesIn(values: readonly unknown[], column: Column, catalog: Catalog): readonly Reference[] {
  const { reference } = column
  if (refersToAny(column)) return values.flatMap((value) => documentParts(value, catalog) ?? [])
  return reference === null ? [] : values.flat().map((id) => ({ table: reference, id }))
}
