import { sql } from '../../kernel/sql.ts'
import type { Assignment, BuiltInRule } from '../plan/planned-change.ts'
import type { RecordPlan } from '../plan/record-plan.ts'
import { placeOf } from './adopted-storage.ts'
import type { Expression } from './expression.ts'
import type { Row } from './from-clause.ts'
import type { UpdatePlan } from './statement-parts.ts'

/** The PostgreSQL table of a hierarchy, as an argument of a function. */
export const regclassOf = ({ storage }: RecordPlan['table']): Expression =>
  sql`${sql.lit(`"${storage.schema}"."${storage.table}"`)}::regclass`

/** Condition: the record may have its new parent. `before` and `after` are the same record. */
export function writeParentAllowed(
  { column }: BuiltInRule & { readonly kind: 'hierarchy' },
  { before, after }: { readonly before: Row; readonly after: Row },
): Expression {
  const storage = column.storage ?? ''
  const [old, parent] = [before.storage(storage), after.storage(storage)]
  return sql`(case when ${parent} is null or ${parent} is not distinct from ${old} then true
    else not docket_system.is_above(${regclassOf(after.table)}, ${sql.lit(column.name)}, ${after.key()}, ${parent}) end)`
}

/**
 * Locks the hierarchy before the row: a writer that waits for the hierarchy must not hold a row that the owner of that lock needs. Takes
 * no lock if the record keeps its parent or loses it. `is_above` takes the lock too, in case this look at the parent was too early.
 *
 * @param sysId a parameter
 * @param value returns the new value of a plain assignment; null: the statement looks it up
 */
export function lockHierarchies(
  plan: RecordPlan,
  form: UpdatePlan,
  { sysId, value }: { readonly sysId: Expression; readonly value: (assignment: Assignment) => Expression | null },
): Expression {
  const locks = form.builtInRules.flatMap((rule) => {
    if (rule.kind !== 'hierarchy') return []
    const assignment = form.assignments.find(({ column }) => column.name === rule.column.name)
    const given = assignment === undefined ? sql`null` : value(assignment)
    const lock = sql`docket_system.lock_hierarchy(${regclassOf(plan.table)})`
    if (given === null) return [sql`(select ${lock})`]
    const stands = sql`exists (select from ${placeOf(plan.table)} as p
      where p.sys_id = ${sysId}::bigint and p.${sql.id(rule.column.storage ?? '')} = ${given})`
    return [sql`(select case when ${given} is null or ${stands} then true else ${lock} end)`]
  })
  return locks.length === 0 ? sql`` : sql`and ${sql.join(locks, sql` and `)}`
}
