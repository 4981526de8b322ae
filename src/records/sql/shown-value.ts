import { sql } from 'kysely'
import type { Column } from '../../catalog/catalog.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { Expression } from './expression.ts'

/** What of a row values are made of. */
interface StoredRow {
  storage(name: string): Expression
}

/** The value of a column as another API shows it; null: the value that is stored. */
export function writeShownValue({ shown, storage }: Column, row: StoredRow): Expression | null {
  if (shown === undefined) return null
  switch (shown.kind) {
    case 'constant':
      return sql`${sql.lit(shown.text)}::text`
    case 'lookup':
      return shown.orKey
        ? sql`coalesce(${writeLookup(row.storage(shown.storage), shown.texts)}, ${row.storage(shown.storage)}::text)`
        : writeLookup(row.storage(shown.storage), shown.texts)
    case 'negated':
      return sql`(not ${row.storage(storage ?? '')})`
    default:
      return unreachable(shown)
  }
}

/** What people read of it; null: the value itself. @param language of the reader */
export function writeShownTitle({ shown }: Column, row: StoredRow, language: Expression): Expression | null {
  if (shown?.kind !== 'lookup' || shown.titles === null) return null
  const value = row.storage(shown.storage)
  const { en, ru } = shown.titles
  return sql`case ${language} when 'ru' then ${writeLookup(value, ru)} else ${writeLookup(value, en)} end`
}

/** More texts are a JSON object, of which PostgreSQL compares no keys one after another. */
const MAX_BRANCHES = 20

function writeLookup(value: Expression, texts: ReadonlyMap<string, string>): Expression {
  if (texts.size === 0) return sql`null::text`
  if (texts.size > MAX_BRANCHES) return sql`${JSON.stringify(Object.fromEntries(texts))}::jsonb ->> ${value}::text`
  const branches = [...texts].map(([key, text]) => sql`when ${sql.lit(key)} then ${sql.lit(text)}`)
  return sql`case ${value}::text ${sql.join(branches, sql` `)} end`
}
