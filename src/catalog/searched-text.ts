import { type Sql, sql } from '../kernel/sql.ts'

/** How much of a text or a record is searched. PostgreSQL fails on a text whose words take more than a megabyte. */
const MAX_SEARCHED_CHARACTERS = 200_000

/**
 * The words of a text. Russian stems Cyrillic words and leaves Latin ones to the English stemmer, so one configuration
 * serves both languages. An index serves a search only when both say this by the same expression.
 */
export function wordsOf(text: Sql<unknown>): Sql<unknown> {
  return sql`to_tsvector('russian', left(${text}, ${sql.lit(MAX_SEARCHED_CHARACTERS)}))`
}

/** The words of several columns of a record together, in the order of the dictionary. */
export function wordsOfRecord(columns: readonly Sql<unknown>[]): Sql<unknown> {
  const parts = columns.map((column) => sql`coalesce(${column}::text, '')`)
  return wordsOf(sql`(${sql.join(parts, sql` || ' ' || `)})`)
}
