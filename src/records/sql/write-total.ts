import type { Table } from '../../catalog/catalog.ts'
import { sql } from '../../kernel/sql.ts'
import type { Predicate } from '../plan/planned-predicate.ts'
import type { Expression } from './expression.ts'
import { type Aliases, FromClause, writePredicate } from './from-clause.ts'
import { sourceOf } from './row-source.ts'

export interface CountedRows {
  readonly table: Table
  /** Rows that satisfy any of them are counted once. */
  readonly anyOf: readonly Predicate[]
  /** Counting stops after this many rows; null: all are counted. */
  readonly countUpTo: number | null
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
