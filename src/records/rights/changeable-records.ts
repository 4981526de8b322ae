import { grantOnRows, isNever } from '../../acl/descendants-grant.ts'
import { classIdsOf } from '../../catalog/class-ids.ts'
import { readSysId } from '../../column-types/record-key.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import { rowsWhere } from '../plan/plan-row-access.ts'
import { allOf } from '../plan/predicates.ts'
import type { RecordDeps } from '../record-deps.ts'
import { unlessDrifted } from '../run/adopted-table-drift.ts'
import { bindParams } from '../run/bind-params.ts'
import { storageOf } from '../sql/adopted-storage.ts'
import { Aliases, embed, Row } from '../sql/from-clause.ts'

/** True while the record exists and the caller may read and write it. */
export type RecordRights = Sql<boolean>

/**
 * Checks that a caller may read and write a record by the current rules, before a statement changes rows that belong to it.
 *
 * @returns the same check as a condition, for the statement itself
 */
export function mayChange(
  deps: RecordDeps,
  principal: Principal,
  name: string,
  sysId: string,
): Promise<Result<RecordRights, Problem>> {
  return unlessDrifted(deps, name, () => readRights(deps, principal, name, sysId))
}

async function readRights(
  deps: RecordDeps,
  principal: Principal,
  name: string,
  sysId: string,
): Promise<Result<RecordRights, Problem>> {
  const catalog = await deps.catalog.upToDate()
  const table = catalog.tables.get(name)
  if (table === undefined) return fail({ kind: 'table-not-found', table: name, similar: [] })
  const access = deps.accessFor(catalog, principal)
  for (const action of ['read', 'write'] as const) {
    if (isNever(grantOnRows(access, catalog, table, action))) return fail({ kind: 'table-denied', action, table: name })
  }
  const absent = fail({ kind: 'record-not-found', table: name, sysId } as const)
  const id = readSysId(sysId, table.key)
  if (id === null) return absent
  const caller = { principal, catalog, nowMs: deps.clock.nowMs() }
  const where = (action: 'read' | 'write'): Sql<boolean> => {
    const row = new Row('m', table)
    const classes = classIdsOf(table, catalog)
    const allowed = allOf([{ kind: 'class', ids: classes }, rowsWhere(action, table, { catalog, access })])
    return bindParams(
      sql<boolean>`exists (select from ${storageOf(table)} as m where ${row.isRequested(sql`${id}`)}
        and ${embed(allowed, row, new Aliases('may'))})`,
      caller,
    )
  }
  const both = sql<boolean>`(${where('read')} and ${where('write')})`
  const [rights] = await deps.database.rows<{ read: boolean; write: boolean }>(
    sql`select ${where('read')} as read, ${where('write')} as write`,
  )
  if (rights?.read !== true) return absent
  return rights.write ? succeed(both) : fail({ kind: 'record-denied', action: 'write', table: name })
}
