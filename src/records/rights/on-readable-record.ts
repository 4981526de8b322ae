import { grantOnRows, isNever } from '../../acl/descendants-grant.ts'
import type { Catalog, Table } from '../../catalog/catalog.ts'
import { tableNamed } from '../../catalog/table-named.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result } from '../../kernel/result.ts'
import type { RecordDeps } from '../record-deps.ts'
import { unlessDrifted } from '../run/adopted-table-drift.ts'
import { nameOfReadable } from './name-of-readable.ts'

export interface RecordId {
  readonly principal: Principal
  readonly table: string
  readonly sysId: string
}

/** A record that the caller may read. */
export interface ReadableRecord {
  readonly catalog: Catalog
  readonly table: Table
  /** The id under which other rows refer to the record. */
  readonly id: string
}

/**
 * Runs `work` on a record with the errors of a read of that record: what belongs to a record must not reveal more about it than the record
 * itself, so a missing record and one that the caller may not read have the same error.
 *
 * @param needed a further table of which the caller must be allowed to read at least some rows. It is checked before the record is looked
 * up, so that the error says nothing about the record
 */
export function onReadableRecord<T>(
  deps: RecordDeps,
  { principal, table: name, sysId }: RecordId,
  work: (record: ReadableRecord) => Promise<Result<T, Problem>>,
  needed?: string,
): Promise<Result<T, Problem>> {
  return unlessDrifted(deps, name, async () => {
    const catalog = await deps.catalog.upToDate()
    const access = deps.accessFor(catalog, principal)
    const table = tableNamed(name, catalog)
    const other = needed === undefined ? table : catalog.tables.get(needed)
    if (table === undefined || other === undefined) return fail({ kind: 'table-not-found', table: name, similar: [] })
    for (const each of new Set([table, other])) {
      if (isNever(grantOnRows(access, catalog, each, 'read')))
        return fail({ kind: 'table-denied', action: 'read', table: each.name })
    }
    const id = await nameOfReadable(deps, { principal, table, sysId })
    return id === null ? fail({ kind: 'record-not-found', table: table.name, sysId }) : work({ catalog, table, id })
  })
}
