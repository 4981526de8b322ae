import type { ClassChoices, Column, DisplayedChoice } from '../../catalog/catalog.ts'
import { MASK } from '../../column-types/secret-type.ts'
import { servedIdOfRow } from '../../column-types/served-id.ts'
import { sql } from '../../kernel/sql.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { Expression } from './expression.ts'
import { idLiteral } from './id-literal.ts'
import { writeLogged } from './write-logged.ts'

/** The columns of a row, from which values are made. */
export interface StoredRow {
  storage(name: string): Expression
}

/** The value of a column as another API displays it; null: the stored value. */
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
    case 'choice':
      return writeDisplayedChoice(displayed, row)
    case 'count':
      return sql`coalesce(${row.storage(displayed.storage)}, 0)`
    case 'served-id':
      return servedIdOfRow(
        row.storage(displayed.storage),
        displayed.given === null ? null : row.storage(displayed.given),
        displayed.ids,
      )
    case 'masked':
    case 'journals':
      return sql`null::text`
    case 'logged':
      return writeLogged(displayed, row, row.storage(storage ?? ''))
    case 'filled':
      return sql`coalesce(nullif(${row.storage(storage ?? '')}, ''), ${writeLookup(row.storage(displayed.by.storage ?? ''), displayed.texts)})`
    default:
      return unreachable(displayed)
  }
}

/** The display value; null: the value itself. @param language of the reader */
export function writeDisplayedTitle(
  { displayed, storage }: Column,
  row: StoredRow,
  language: Expression,
): Expression | null {
  if (displayed?.kind === 'masked') return sql`case when ${row.storage(storage ?? '')} <> '' then ${sql.lit(MASK)} end`
  if (displayed?.kind === 'choice') return writeTitleOfChoice(displayed, row, language)
  if (displayed?.kind !== 'lookup' || displayed.titles === null) return null
  const value = row.storage(displayed.storage)
  const { en, ru } = displayed.titles
  return sql`case ${language} when 'ru' then ${writeLookup(value, ru)} else ${writeLookup(value, en)} end`
}

const writeDisplayedChoice = (choice: DisplayedChoice, row: StoredRow): Expression =>
  writeByClass(choice, row, ({ texts }) => writeLookupOr(row.storage(choice.storage), texts))

/** null: the titles of the column's choices apply to all classes. */
function writeTitleOfChoice(choice: DisplayedChoice, row: StoredRow, language: Expression): Expression | null {
  if (choice.classes.length === 1) return null
  const value = row.storage(choice.storage)
  const titles = (of: 'en' | 'ru'): Expression =>
    writeByClass(choice, row, (each) => writeLookupOr(value, each.titles[of]))
  return sql`case ${language} when 'ru' then ${titles('ru')} else ${titles('en')} end`
}

/** An expression that depends on the class of the row. */
export function writeByClass(
  { classes }: Pick<DisplayedChoice, 'classes'>,
  row: StoredRow,
  write: (of: ClassChoices) => Expression,
): Expression {
  const [first, ...others] = classes
  if (first === undefined) throw new Error('a choice was planned for rows of no class')
  if (others.length === 0) return write(first)
  const branches = others.map(
    (each) => sql`when ${row.storage('sys_db_table_id')} in (${sql.join(each.ids.map(idLiteral))}) then ${write(each)}`,
  )
  return sql`case ${sql.join(branches, sql` `)} else ${write(first)} end`
}

/** The text for a value; the value itself if there is none. */
export const writeLookupOr = (value: Expression, texts: ReadonlyMap<string, string>): Expression =>
  texts.size === 0 ? value : sql`coalesce(${writeLookup(value, texts)}, ${value})`

/** By a constant: PostgreSQL prepares and compares each branch of a CASE one after another, at each execution. */
const writeLookup = (value: Expression, texts: ReadonlyMap<string, string>): Expression =>
  texts.size === 0
    ? sql`null::text`
    : sql`(${sql.lit(JSON.stringify(Object.fromEntries(texts)))}::jsonb ->> ${value}::text)`
