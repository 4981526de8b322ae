import { type RawBuilder, sql } from 'kysely'
import { grantOnRows, isNever } from '../../acl/descendants-grant.ts'
import { readSysId } from '../../column-types/record-key.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { rowsWhere } from '../plan/plan-rights.ts'
import { allOf } from '../plan/predicates.ts'
import type { RecordRoom } from '../record-room.ts'
import { fillSlots } from '../run/fill-slots.ts'
import { unlessAstray } from '../run/find-astray.ts'
import { storageOf } from '../sql/adopted-storage.ts'
import { Aliases, embed, Row } from '../sql/from-clause.ts'

/** Holds while the record is there and may be read and written. */
export type RecordRights = RawBuilder<boolean>

/**
 * Whether a caller may read and write a record, as the rules are now: for statements that change what belongs to it.
 *
 * @returns the same as a condition, for the statement itself
 */
export function mayChange(
  room: RecordRoom,
  principal: Principal,
  name: string,
  sysId: string,
): Promise<Result<RecordRights, Problem>> {
  return unlessAstray(room, name, () => askRights(room, principal, name, sysId))
}

async function askRights(
  room: RecordRoom,
  principal: Principal,
  name: string,
  sysId: string,
): Promise<Result<RecordRights, Problem>> {
  const catalog = await room.catalog.upToDate()
  const table = catalog.tables.get(name)
  if (table === undefined) return refuse({ kind: 'table-not-found', table: name, similar: [] })
  const access = room.accessFor(catalog, principal)
  for (const action of ['read', 'write'] as const) {
    if (isNever(grantOnRows(access, catalog, table, action)))
      return refuse({ kind: 'table-denied', action, table: name })
  }
  const absent = refuse({ kind: 'record-not-found', table: name, sysId } as const)
  const id = readSysId(sysId, table.key)
  if (id === null) return absent
  const caller = { principal, catalog, nowMs: room.clock.nowMs() }
  const where = (action: 'read' | 'write'): RawBuilder<boolean> => {
    const row = new Row('m', table)
    const classes = table.family.flatMap((member) => catalog.tables.get(member)?.id ?? [])
    const allowed = allOf([{ kind: 'class', ids: classes }, rowsWhere(action, table, { catalog, access })])
    return fillSlots(
      sql<boolean>`exists (select from ${storageOf(table)} as m where ${row.isAsked(sql`${id}`)}
        and ${embed(allowed, row, new Aliases('may'))})`,
      caller,
    )
  }
  const both = sql<boolean>`(${where('read')} and ${where('write')})`
  const [seen] = await room.database.rows<{ read: boolean; write: boolean }>(
    sql`select ${where('read')} as read, ${where('write')} as write`,
  )
  if (seen?.read !== true) return absent
  return seen.write ? succeed(both) : refuse({ kind: 'record-denied', action: 'write', table: name })
}
