import { sql } from 'kysely'
import type { DisplayedEntries } from '../plan/record-plan.ts'
import { storageOf } from './adopted-storage.ts'
import type { Expression } from './expression.ts'
import { embed, FromClause, Row } from './from-clause.ts'

interface Journal {
  /** The column of the record. */
  readonly column: string
  /** Its title in the caller's language. */
  readonly title: Expression
  readonly timeZone: Expression
}

/** The visible entries of a journal as one text, the newest first: time, author, title of the column, and the text; null: there are none. */
export function writeDisplayedEntries(
  { table, visible, author }: DisplayedEntries,
  record: Row,
  { from, column, title, timeZone }: Journal & { readonly from: FromClause },
): Expression {
  const row = new Row(from.aliases.next(), table)
  const entries = new FromClause(row, from.aliases)
  const name = author === null ? sql`null::text` : entries.valueOf(author)
  const at = sql`(${row.storage('sys_created_at')} at time zone 'UTC' at time zone ${timeZone})::timestamp(0)::text`
  const entry = sql`${at} || ' - ' || coalesce(${name}, '') || ' (' || ${title} || E')\n' || ${row.storage('value')} || E'\n\n'`
  return sql`(select string_agg(${entry}, '' order by ${row.storage('sys_created_at')} desc, ${row.key()} desc)
    from ${storageOf(table)} as ${sql.id(row.alias)} ${entries.joins()}
    where ${row.storage('record_id')} = ${record.name()} and ${row.storage('table_id')} = ${record.storage('sys_db_table_id')}
      and ${row.storage('column_name')} = ${sql.lit(column)} and ${embed(visible, row, from.aliases)})`
}
