import { sql } from '../../kernel/sql.ts'
import type { DisplayedEntries } from '../plan/record-plan.ts'
import { storageOf } from './adopted-storage.ts'
import type { Expression } from './expression.ts'
import { embed, FromClause, Row } from './from-clause.ts'

interface Reading {
  readonly from: FromClause
  /** Of the caller. */
  readonly language: Expression
  readonly timeZone: Expression
}

/** The visible entries of journals as one text, the newest first: time, author, title of the column, and the text; null: there are none. */
export function writeDisplayedEntries(
  { table, columns, visible, author }: DisplayedEntries,
  record: Row,
  { from, language, timeZone }: Reading,
): Expression {
  const row = new Row(from.aliases.next(), table)
  const entries = new FromClause(row, from.aliases)
  const name = author === null ? sql`null::text` : entries.valueOf(author)
  const at = sql`(${row.storage('sys_created_at')} at time zone 'UTC' at time zone ${timeZone})::timestamp(0)::text`
  const title = writeTitle(columns, row.storage('column_name'), language)
  const entry = sql`${at} || ' - ' || coalesce(${name}, '') || ' (' || ${title} || E')\n' || ${row.storage('value')} || E'\n\n'`
  const ofColumns = columns.map(({ column, visible: isVisible }) => {
    const isOf = sql`${row.storage('column_name')} = ${sql.lit(column.name)}`
    return columns.length === 1 ? isOf : sql`(${isOf} and ${embed(isVisible, record, from.aliases)})`
  })
  return sql`(select string_agg(${entry}, '' order by ${row.storage('sys_created_at')} desc, ${row.key()} desc)
    from ${storageOf(table)} as ${sql.id(row.alias)} ${entries.joins()}
    where ${row.storage('record_id')} = ${record.name()} and ${row.storage('table_id')} = ${record.storage('sys_db_table_id')}
      and (${sql.join(ofColumns, sql` or `)}) and ${embed(visible, row, from.aliases)})`
}

function writeTitle(columns: DisplayedEntries['columns'], name: Expression, language: Expression): Expression {
  const titles = (of: 'en' | 'ru'): Expression => {
    const branches = columns.map(({ column }) => sql`when ${sql.lit(column.name)} then ${sql.lit(column.titles[of])}`)
    return sql`case ${name} ${sql.join(branches, sql` `)} end`
  }
  return sql`case ${language} when 'ru' then ${titles('ru')} else ${titles('en')} end`
}
