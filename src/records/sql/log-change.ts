import { type Column, SYSTEM_COLUMNS, type Table } from '../../catalog/catalog.ts'
import { isSecret } from '../../column-types/column-types.ts'
import { sql } from '../../kernel/sql.ts'
import type { Assignment, JournalWrite } from '../plan/planned-change.ts'
import type { RecordPlan } from '../plan/record-plan.ts'
import { Param } from '../plan/value-source.ts'
import type { Expression } from './expression.ts'
import { idLiteral } from './id-literal.ts'
import type { CreatePlan, UpdatePlan } from './statement-parts.ts'
import { writeLoggedJson, writeLoggedValue } from './write-field.ts'

/**
 * The row that a write adds to docket_system.change (migration 000009), as a part of the same statement: the change and its row are
 * committed together. It reads the written row, so its sequence number is taken after the previous writer of the record has
 * released its lock.
 */

/** Logs the values of a new row. Functions such as `row_to_json` are by far the cheapest way (docs/decisions/0004). */
export function logCreate(plan: RecordPlan, form: CreatePlan, userId: Param): Expression {
  const values = stored(form.assignments).map(
    ({ name, value, column }) => sql`${writeLoggedValue(plan.table, column, value('made'))} as ${sql.id(name)}`,
  )
  const texts = textsOf(form).map(({ column, text }) => sql`${journalText(text)} as ${sql.id(column.name)}`)
  const all = [...values, ...texts]
  const changes = all.length === 0 ? sql`'{}'::jsonb` : sql`(select to_jsonb(v.*) from (select ${sql.join(all)}) as v)`
  const source = sql`select ${whatOf(plan.table, 'made')}, ${userId}::bigint as by_user, ${changes} as changes from made`
  return logChange(plan, 'c', source)
}

/**
 * Logs the columns of the write whose values changed. A write that changes nothing adds no row, but takes a sequence number anyway:
 * later sequence numbers must not reveal whether a hidden value was already the same.
 */
export function logUpdate(plan: RecordPlan, form: UpdatePlan, userId: Param): Expression {
  const values = stored(form.assignments).map(({ name, value, column }) => {
    const [old, now] = [value('b'), value('a')].map((each) => writeLoggedJson(plan.table, column, each))
    return sql`case when ${value('a')} is distinct from ${value('b')} then ${member(name, '[')} || ${old} || ',' || ${now} || ']' end`
  })
  const texts = textsOf(form).map(({ column, text }) => {
    const written = journalText(text)
    return sql`case when ${written} is not null then ${member(column.name, '[null,')} || to_json(${written})::text || ']' end`
  })
  const members = [...values, ...texts]
  if (members.length === 0) return sql``
  const source = sql`select c.what, c.class, c.by_user, ('{' || c.members || '}')::jsonb as changes, c.position
    from (select ${whatOf(plan.table, 'a')}, ${userId}::bigint as by_user, ${joined(members)} as members,
            docket_system.take_position() as position from a, b offset 0) as c
    where c.members <> ''`
  return logChange(plan, 'u', source)
}

/** Logs all values of the row, including columns of child tables: nothing else remains of a deleted record to check rights on. */
export function logDelete(plan: RecordPlan, userId: Param): Expression {
  const descendants = plan.table.descendants.flatMap((name) => plan.catalog.tables.get(name) ?? [])
  const columns = new Map(
    descendants.flatMap((table) =>
      [...table.columns.values()].map((column) => [column.storage ?? '', column] as const),
    ),
  )
  // Two child tables may have columns of the same name; only the one of the record's class has a value.
  const members = [...columns.values()].filter(isKept).map((column) => {
    const value = sql.ref(`b.${column.storage}`)
    return sql`case when ${value} is not null then ${member(column.name, '')} || ${writeLoggedJson(plan.table, column, value)} end`
  })
  const source = sql`select ${whatOf(plan.table, 'b')}, ${userId}::bigint as by_user, ('{' || ${joined(members)} || '}')::jsonb as changes
    from b where exists (select from gone)`
  return logChange(plan, 'd', source)
}

/** @param source returns what, class, by_user, changes, and for an update the position, which it has already taken */
function logChange(plan: RecordPlan, operation: 'c' | 'u' | 'd', source: Expression): Expression {
  const position = operation === 'u' ? sql`c.position` : sql`docket_system.take_position()`
  const audited = flagOf(plan, ({ isAudit }) => isAudit)
  const logged = operation === 'd' ? flagOf(plan, ({ logsDeletions }) => logsDeletions) : sql`false`
  return sql`, noted as (insert into docket_system.change
      (position, operation, table_id, record_id, changed_by, changes, audited, deletion_logged, migrated)
    select ${position}, ${sql.lit(operation)}, c.class, c.what, c.by_user, c.changes, ${audited}, ${logged}, ${sql.lit(plan.migrating)} from (${source}) as c)`
}

/** Migrated entries have their own authors and times. They are in sys_journal_entry only, not in the log. */
const textsOf = ({ journals }: CreatePlan | UpdatePlan): readonly JournalWrite[] =>
  journals.filter(({ migrating }) => !migrating)

/** The sys_id and the class of the record. */
function whatOf(table: Table, row: string): Expression {
  const own = table.descendants.length === 1 ? idLiteral(table.id) : sql.ref(`${row}.sys_db_table_id`)
  return sql`${sql.ref(`${row}.${table.keyColumn}`)}::text as what, ${own} as class`
}

/** A flag of the record's class, which may be a descendant of the requested table. */
function flagOf({ table, catalog }: RecordPlan, flag: (table: Table) => boolean): Expression {
  const descendants = table.descendants.flatMap((name) => catalog.tables.get(name) ?? [])
  const flagged = descendants.filter(flag)
  if (flagged.length === 0 || flagged.length === descendants.length) return sql.lit(flagged.length > 0)
  return sql`c.class in (${sql.join(flagged.map(({ id }) => idLiteral(id)))})`
}

/** Without the system columns: the log has its own columns for user and time. */
const stored = (assignments: readonly Assignment[]) =>
  assignments
    .filter(({ column }) => isKept(column) && !SYSTEM_COLUMNS.has(column.name))
    .map(({ column }) => ({
      name: column.name,
      column,
      value: (row: string): Expression => sql.ref(`${row}.${column.storage}`),
    }))

/** Secrets are not logged, because nobody may read them. */
const isKept = (column: Column): boolean => column.storage !== null && !isSecret(column)

const member = (name: string, then: string): Expression => sql.lit(`${JSON.stringify(name)}:${then}`)

/** An empty text is not an entry. */
const journalText = (text: JournalWrite['text']): Expression => sql`nullif(${new Param(text, 0)}::text, '')`

/** concat_ws skips nulls. It is nested, because PostgreSQL allows at most 100 arguments. */
function joined(members: readonly Expression[]): Expression {
  const groups: Expression[] = []
  for (let at = 0; at < members.length; at += 90) {
    groups.push(sql`nullif(concat_ws(',', ${sql.join(members.slice(at, at + 90))}), '')`)
  }
  return groups.length === 0 ? sql`''` : sql`concat_ws(',', ${sql.join(groups)})`
}
