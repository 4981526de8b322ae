import type { Table } from '../../catalog/catalog.ts'
import { sql } from '../../kernel/sql.ts'
import type { Predicate } from '../plan/planned-predicate.ts'
import type { PlanKind, RecordPlan } from '../plan/record-plan.ts'
import { Param } from '../plan/value-source.ts'
import type { Expression } from './expression.ts'
import { type Aliases, FromClause, writePredicate } from './from-clause.ts'
import { sourceOf } from './row-source.ts'

type ListPlan = Extract<PlanKind, { readonly kind: 'list' }>

export interface CountedRows {
  readonly table: Table
  /** Rows that satisfy any of them are counted once. */
  readonly anyOf: readonly Predicate[]
  /** Counting stops after this many rows; null: all are counted. */
  readonly countUpTo: number | null
}

/**
 * The total of a list. If no row comes after the page, the total is the number of rows before and on the page, and PostgreSQL does not
 * count. The number before is unknown for later pages of a cursor, and for an empty page after the last row.
 */
export function writeTotalOfList(
  { table }: RecordPlan,
  { counted, countUpTo, offset, paging }: ListPlan,
  { aliases, limit }: { readonly aliases: Aliases; readonly limit: Expression },
): Expression {
  const total = writeTotal({ table, anyOf: counted, countUpTo }, aliases)
  const isAfterRow = paging.kind === 'cursor' && paging.nulls.length > 0
  if (isAfterRow) return total
  const before = paging.kind === 'cursor' || offset === 0 ? null : sql`${new Param(offset, 0)}::bigint`
  const known = before === null ? sql`a.found` : sql`(${before} + a.found)`
  const isKnown =
    before === null ? sql`a.found <= ${limit}` : sql`a.found <= ${limit} and (a.found > 0 or ${before} = 0)`
  const upTo = countUpTo === null ? sql`true` : sql`${known} <= ${sql.lit(countUpTo)}`
  return sql`case when ${isKnown} then case when ${upTo} then ${known}::text end else ${total} end`
}

/** How many rows satisfy any of the conditions, as text; null: more than `countUpTo`. */
export function writeTotal({ table, anyOf, countUpTo }: CountedRows, aliases: Aliases): Expression {
  const rows = writeCountedRows(table, anyOf, { aliases, countUpTo })
  return countUpTo === null
    ? sql`(select count(*)::text from (${rows}) as counted)`
    : sql`(select case when count(*) <= ${sql.lit(countUpTo)} then count(*)::text end from (${rows}${limitTo(countUpTo)}) as counted)`
}

interface Counting {
  readonly aliases: Aliases
  readonly countUpTo: number | null
}

/**
 * `A or B` on two references is counted as a union of keys: each alternative reads only its own index, and no row of the table is read.
 * PostgreSQL itself would combine the two indexes and then read the rows, which are scattered over the table.
 */
function writeCountedRows(table: Table, anyOf: readonly Predicate[], { aliases, countUpTo }: Counting): Expression {
  const rows = anyOf.map((condition) => writeRows(table, condition, aliases))
  const [only, second] = rows
  if (only !== undefined && second === undefined) return sql`select ${only.from}`
  // If one alternative alone exceeds the limit, so do all together.
  const limit = countUpTo === null ? sql`` : limitTo(countUpTo)
  const keys = rows.map(({ key, from }) => sql`(select ${key} ${from}${limit})`)
  return sql`select from (${sql.join(keys, sql` union `)}) as named`
}

function writeRows(table: Table, where: Predicate, aliases: Aliases) {
  const source = sourceOf(table, aliases, { where })
  const from = new FromClause(source.row, aliases)
  const condition = writePredicate(where, from)
  return {
    key: from.row.key(),
    from: sql`from ${source.tables} ${from.joins()} where ${condition}`,
  }
}

const limitTo = (rows: number): Expression => sql` limit ${sql.lit(rows + 1)}`
