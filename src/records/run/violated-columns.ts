import type { Table } from '../../catalog/catalog.ts'
import type { Session } from '../../database/database.ts'
import type { DatabaseFailure } from '../../database/database-failure.ts'
import type { Problem } from '../../kernel/problem.ts'
import { sql } from '../../kernel/sql.ts'
import type { RecordPlan } from '../plan/record-plan.ts'

/**
 * Names the columns of a violation if PostgreSQL names only a constraint, a type or nothing, as it does for adopted tables. Only
 * columns that the caller wrote are named: others may be hidden.
 */
export async function withViolatedColumns(
  database: Session,
  failure: DatabaseFailure,
  { plan, problem }: { readonly plan: RecordPlan; readonly problem: Problem },
): Promise<Problem> {
  const { form, table } = plan
  const isNamed = problem.kind === 'invalid-value' && problem.field !== '' && table.columns.has(problem.field)
  if (problem.kind !== 'invalid-value' || isNamed || (form.kind !== 'create' && form.kind !== 'update')) return problem
  const written = form.assignments.flatMap(({ column }) => column.storage ?? [])
  const found = await findColumns(database, failure, { table, written })
  const [only] = written.length === 1 ? written : found
  const storages = found.length > 0 ? found : only === undefined ? [] : [only]
  const names = form.assignments.flatMap(({ column }) => (storages.includes(column.storage ?? '') ? [column.name] : []))
  return { ...problem, field: names.join(', ') }
}

/** Columns of the constraint, or of the type that the message names. */
async function findColumns(
  database: Session,
  { constraint, message, detail }: DatabaseFailure,
  { table, written }: { readonly table: Table; readonly written: readonly string[] },
): Promise<readonly string[]> {
  // "A field with precision 8, scale 2 must round to …"
  const [, precision, scale] = /precision (\d+), scale (-?\d+)/.exec(detail) ?? []
  const stated = precision === undefined ? message : `numeric(${precision},${scale})`
  const rows = await database.rows<{ name: string }>(sql`
    select a.attname as name from pg_attribute a
    join pg_class k on k.oid = a.attrelid join pg_namespace s on s.oid = k.relnamespace
    join pg_type t on t.oid = a.atttypid
    where s.nspname = ${table.storage.schema} and k.relname = ${table.storage.table} and a.attname = any(${[...written]}::text[])
      and case when ${constraint} <> '' then exists (select from pg_constraint c where c.conname = ${constraint}
          and (c.conrelid = k.oid and a.attnum = any(c.conkey) or c.contypid <> 0 and c.contypid = a.atttypid))
        else position(format_type(a.atttypid, a.atttypmod) in ${stated}) > 0
          or t.typtype = 'e' and position('enum ' || t.typname || ':' in ${stated}) > 0 end
    order by a.attnum`)
  return rows.map(({ name }) => name)
}
