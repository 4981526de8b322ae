import { succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import type { StoredValue } from '../plan/planned-change.ts'
import type { Predicate } from '../plan/planned-predicate.ts'
import type { PlanKind, RecordPlan } from '../plan/record-plan.ts'
import { ofCaller, Param, type ValueSource } from '../plan/value-source.ts'
import { storageOf } from './adopted-storage.ts'
import type { Expression } from './expression.ts'
import { type Aliases, embed, type FromClause, Row } from './from-clause.ts'
import { writeStoredJson } from './write-field.ts'

export type CreatePlan = Extract<PlanKind, { readonly kind: 'create' }>

export type UpdatePlan = Extract<PlanKind, { readonly kind: 'update' }>

export type DeletePlan = Extract<PlanKind, { readonly kind: 'delete' }>

export function embedBoolean(predicate: Predicate, from: FromClause, aliases: Aliases): Expression {
  return sql`coalesce(${embed(predicate, from.row, aliases)}, false)`
}

/** The sys_id of the user who writes. */
export const userId = new Param(
  ofCaller(({ principal }) => succeed([principal.userId])),
  0,
)

export const boolArray = (values: readonly Expression[]): Expression =>
  values.length === 0 ? sql`array[]::boolean[]` : sql`array[${sql.join(values)}]::boolean[]`

/** Condition: the body contains the stored value as a read returns it. Never null. */
export function isSent(
  table: RecordPlan['table'],
  column: StoredValue['column'],
  { value, sent }: { readonly value: Expression; readonly sent: ValueSource },
): Expression {
  const param = sql`${new Param(sent, 0)}::jsonb`
  return sql`coalesce(${writeStoredJson(table, column, value)}::jsonb = ${param}, false)`
}

export function writeFind(target: RecordPlan['table'], where: Predicate, aliases: Aliases): Expression {
  const row = new Row(aliases.next(), target)
  return sql`select ${row.key()} from ${storageOf(target)} as ${sql.id(row.alias)} where ${embed(where, row, aliases)}`
}
