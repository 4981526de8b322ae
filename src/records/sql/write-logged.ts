import type { DisplayedValue, LoggedWords } from '../../catalog/catalog.ts'
import { servedName } from '../../column-types/served-id.ts'
import { durationText } from '../../column-types/types/duration.ts'
import { sql } from '../../kernel/sql.ts'
import type { Expression } from './expression.ts'

interface StoredRow {
  storage(name: string): Expression
}

/** What a log of changes has of a record, in the names and values of another API. */
export function writeLogged(
  { part, words }: DisplayedValue & { readonly kind: 'logged' },
  row: StoredRow,
  stored: Expression,
): Expression {
  const of: LoggedPlace = { words, class: row.storage(words.classStorage), column: row.storage(words.columnStorage) }
  return part === 'name' ? writeName(of) : writeValue(stored, of)
}

interface LoggedPlace {
  readonly words: LoggedWords
  readonly class: Expression
  readonly column: Expression
}

const jsonOf = (value: object): Expression => sql`${sql.lit(JSON.stringify(value))}::jsonb`

const setOf = ({ words, class: ofClass }: LoggedPlace): Expression =>
  sql`(${jsonOf(words.sets)} -> (${jsonOf(Object.fromEntries(words.setOf))} ->> ${ofClass}::text)::integer)`

const writeName = (of: LoggedPlace): Expression => sql`coalesce(${setOf(of)} -> 'names' ->> ${of.column}, ${of.column})`

/** Only digits, ids and lists of them may be written otherwise; what they are is in the dictionary. */
const MAY_DIFFER = '^(-?[0-9]{1,19}|[0-9]{1,18}(,[0-9]{1,18})+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}.*)$'

function writeValue(value: Expression, of: LoggedPlace): Expression {
  const { words, class: ofClass, column } = of
  const ids = sql`(select string_agg(${servedName(sql`m.id`, words.ids, words.given)}, ',' order by m.n)
    from unnest(string_to_array(${value}, ',')) with ordinality as m (id, n))`
  const inForm = sql`case docket_system.logged_form(${ofClass}, ${column}) when 'id' then ${ids} when 'uuid' then replace(${value}, '-', '')
    when 'class' then coalesce(${jsonOf(Object.fromEntries(words.tables))} ->> ${value}, ${value})
    when 'duration' then ${durationText(sql`${value}::bigint`)} else ${value} end`
  const inWords = sql`${setOf(of)} -> 'texts' -> ${column} ->> ${value}`
  return sql`coalesce(${inWords}, case when ${value} ~ ${sql.lit(MAY_DIFFER)} then ${inForm} else ${value} end)`
}
