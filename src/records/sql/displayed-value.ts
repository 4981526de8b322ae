import { sql } from 'kysely'
import type { Column } from '../../catalog/catalog.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { Expression } from './expression.ts'

/** What of a row values are made of. */
interface StoredRow {
  storage(name: string): Expression
}

/** The value of a column as another API shows it; null: the value that is stored. */
export function writeDisplayedValue({ displayed, storage }: Column, row: StoredRow): Expression | null {
  if (displayed === undefined) return null
  switch (displayed.kind) {
    case 'constant':
      return sql`${sql.lit(displayed.text)}::text`
    case 'lookup':
      return displayed.orKey
        ? sql`coalesce(${writeLookup(row.storage(displayed.storage), displayed.texts)}, ${row.storage(displayed.storage)}::text)`
        : writeLookup(row.storage(displayed.storage), displayed.texts)
    case 'negated':
      return sql`(not ${row.storage(storage ?? '')})`
    default:
      return unreachable(displayed)
  }
}

/** What people read of it; null: the value itself. @param language of the reader */
export function writeDisplayedTitle({ displayed }: Column, row: StoredRow, language: Expression): Expression | null {
  if (displayed?.kind !== 'lookup' || displayed.titles === null) return null
  const value = row.storage(displayed.storage)
  const { en, ru } = displayed.titles
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
