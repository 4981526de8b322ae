import type { Table } from '../../catalog/catalog.ts'
import { sql } from '../../kernel/sql.ts'
import type { RemovedHistory } from '../plan/record-plan.ts'
import type { Expression } from './expression.ts'
import { type Aliases, embed, Row } from './from-clause.ts'
import { idLiteral } from './id-literal.ts'

/** The row of `history_retention` for all tables that the dictionary no longer has (src/retention/keep-days.ts). */
const GONE_TABLES = '0'

/** The last column of a list or an aggregate of the log; nothing for other tables. */
export function writeRemovedColumn(table: Table, removed: RemovedHistory | null, aliases: Aliases): Expression {
  return removed === null ? sql`` : sql`, ${writeRemovedBefore(table, removed, aliases)}`
}

/** The time before which changes of at least one of the classes are removed, as text; null: nothing is removed. */
function writeRemovedBefore(table: Table, removed: RemovedHistory, aliases: Aliases): Expression {
  const { classIds, includesGoneTables, named } = removed
  const kept = new Row(aliases.next(), table)
  const classOf = kept.storage('table_id')
  const latest = (ids: readonly string[], where: Expression): Expression =>
    ids.length === 0
      ? sql`null::text`
      : sql`(select max(${sql.ref(`${kept.alias}.removed_before`)})::text from docket_system.history_retention as ${sql.id(kept.alias)}
          where ${classOf} in (${sql.join(ids.map(idLiteral))}) and ${where})`
  if (named === null) return latest(includesGoneTables ? [...classIds, GONE_TABLES] : classIds, sql`true`)
  const ofNamed = latest(classIds, embed(named, kept, aliases))
  if (!includesGoneTables) return ofNamed
  // A class that the condition names, and that is not in the dictionary, is one of the gone tables.
  const known = new Row(aliases.next(), table)
  const isKnown = sql`exists (select from (select sys_id as table_id from docket.sys_db_table) as ${sql.id(known.alias)}
    where ${embed(named, known, aliases)})`
  return sql`coalesce(${ofNamed}, ${latest([GONE_TABLES], sql`not ${isKnown}`)})`
}
