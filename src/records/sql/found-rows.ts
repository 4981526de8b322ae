import type { Table } from '../../catalog/catalog.ts'
import { sql } from '../../kernel/sql.ts'
import type { Predicate } from '../plan/planned-predicate.ts'
import type { Expression } from './expression.ts'
import { type Aliases, FromClause, Row, writePredicate } from './from-clause.ts'
import { type RowSource, sourceOf } from './row-source.ts'

/** The rows that satisfy a condition, found once, in any order, and up to a number (plan/found-first.ts). */
export class FoundRows {
  readonly #table: Table
  readonly #aliases: Aliases
  readonly #upTo: number
  readonly #sources: Row[] = []

  constructor(table: Table, aliases: Aliases, upTo: number) {
    this.#table = table
    this.#aliases = aliases
    this.#upTo = upTo
  }

  /** The found rows as those of the table. */
  source(): RowSource {
    const row = new Row(this.#aliases.next(), this.#table)
    this.#sources.push(row)
    return { row, tables: sql`found as ${sql.id(row.alias)}` }
  }

  /** Condition: they are all rows that satisfy the condition. */
  areAll(): Expression {
    return sql`${this.count()} <= ${sql.lit(this.#upTo)}`
  }

  /** Their number, which is one more than the limit if there are more. */
  count(): Expression {
    return sql`(select n from found_count)`
  }

  /** The beginning of the statement. Contains the columns that the sources use, so these must be written before. */
  write(where: Predicate): Expression {
    const source = sourceOf(this.#table, this.#aliases, { where })
    const from = new FromClause(source.row, this.#aliases)
    const condition = writePredicate(where, from)
    const names = new Set(this.#sources.flatMap(({ used }) => [...used]))
    const columns = [...names].map((name) => sql`${source.row.storage(name)} as ${sql.id(name)}`)
    return sql`with found as materialized (select ${sql.join(columns)} from ${source.tables} ${from.joins()} where ${condition} limit ${sql.lit(this.#upTo + 1)}),
      found_count as materialized (select count(*) as n from found) `
  }
}
