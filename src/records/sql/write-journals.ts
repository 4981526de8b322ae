import { sql } from '../../kernel/sql.ts'
import type { JournalWrite } from '../plan/planned-change.ts'
import type { RecordPlan } from '../plan/record-plan.ts'
import { Param } from '../plan/value-source.ts'
import type { Expression } from './expression.ts'
import { Row } from './from-clause.ts'
import { userId } from './statement-parts.ts'

/** Each text becomes an entry with its author and time. Entries are never changed. */
export function writeJournals(journals: readonly JournalWrite[], plan: RecordPlan, from: string): Expression {
  const inserts = journals.map((journal, index) => {
    if (journal.migrating) return writeMigratedEntries(journal, { plan, from, name: `journal_${index}` })
    const text = sql`${new Param(journal.text, 0)}::text`
    const row = new Row(from, plan.table)
    return sql`, ${sql.id(`journal_${index}`)} as (insert into docket.sys_journal_entry
      (table_id, record_id, column_name, value, sys_created_by, sys_updated_by)
      select ${row.storage('sys_db_table_id')}, ${row.name()}, ${sql.lit(journal.column.name)}, ${text}, ${userId}::bigint, ${userId}::bigint
      from ${sql.id(from)} where ${text} <> '')`
  })
  return inserts.length === 0 ? sql`` : sql.join(inserts, sql` `)
}

/** Skips entries that the record already has, so that a migration may be repeated. */
function writeMigratedEntries(
  { column, text }: JournalWrite,
  { plan, from, name }: { readonly plan: RecordPlan; readonly from: string; readonly name: string },
): Expression {
  const row = new Row(from, plan.table)
  const named = sql`x.record_id = ${row.name()} and x.column_name = ${sql.lit(column.name)}`
  const same = sql`case when e.sys_id is not null then x.sys_id = e.sys_id
    else x.value = e.value and x.sys_created_at = e.at and x.sys_created_by is not distinct from e.by end`
  return sql`, ${sql.id(name)} as (insert into docket.sys_journal_entry
      (sys_id, table_id, record_id, column_name, value, sys_created_at, sys_created_by, sys_updated_at, sys_updated_by)
      select coalesce(e.sys_id, docket_system.new_sys_id()), ${row.storage('sys_db_table_id')}, ${row.name()}, ${sql.lit(column.name)}, e.value,
        coalesce(e.at, docket_system.now_utc()), e.by, coalesce(e.at, docket_system.now_utc()), e.by
      from ${sql.id(from)}, jsonb_to_recordset(${new Param(text, 0)}::jsonb) as e (sys_id bigint, value text, at timestamp, by bigint)
      where e.value <> '' and not exists (select from docket.sys_journal_entry as x where ${named} and ${same}))`
}
