import { fail, type Result, succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import { choiceError, parseTitle, parseTitles } from '../choice-titles.ts'
import type { ColumnType, DisplayContext, Reader, ReadGiven, TypedColumn } from '../column-type.ts'
import type { Expression } from '../expression.ts'
import { idText, scalarText, show } from '../given-value.ts'
import { isAnyText, plain, scalar } from '../json-piece.ts'
import { OWN_KEY, readSysId } from '../record-key.ts'

export const list: ColumnType = {
  title: 'List',
  storage: { type: 'text[]', index: 'gin', adopts: { same: ['_text'], cast: ['_varchar'] } },
  compare: 'list',
  refersTo: 'members',
  choices: 'members',
  read: (value, column) => {
    if (column.reference === null) return scalar(value)
    const joined = sql`nullif(array_to_string(${value}, ','), '')`
    return isAnyText(column) ? scalar(joined) : plain(joined)
  },
  asText: (value, { reference, key }, ids) => {
    if (reference === null) return scalar(sql`array_to_string(${value}, ',')`)
    const id = ids.of(key === null || key.kind === 'whole' ? sql`m.id::bigint` : sql`m.id`, key)
    // Mostly empty: a subquery that finds nothing costs 2 µs a row.
    return scalar(
      sql`case when ${value} is not null then (select string_agg(${id.sql}, ',' order by m.n) from unnest(${value}) with ordinality as m (id, n)) end`,
    )
  },
  write: { value: readList, isRewritten: true, cell: 'array' },
  display: {
    write: (value, context) => scalar(displayMembers(value, context)),
    parse: (text, { choices }, reader) => (choices.length === 0 ? succeed(text) : parseTitles(text, choices, reader)),
    parseMembers,
  },
  convert: { group: 'list' },
  aggregate: {},
  schema: {
    stored: ({ reference }) => (reference === null ? { type: 'array', items: { type: 'string' } } : { type: 'string' }),
    note: 'Members in their order. A list of references is read as sys_ids joined by commas. Written as an array or joined by commas.',
  },
}

function displayMembers(value: Expression, { column, choiceTitles, members }: DisplayContext): Expression {
  if (column.choices.length === 0) return members() ?? sql`nullif(array_to_string(${value}, ', '), '')`
  return sql`(select string_agg(coalesce(${choiceTitles()}::jsonb ->> m.id, m.id), ', ' order by m.n)
    from unnest(${value}) with ordinality as m (id, n))`
}

function readList(value: unknown, column: TypedColumn): ReturnType<ReadGiven> {
  const members = typeof value === 'string' ? value.split(',').map((member) => member.trim()) : value
  if (!Array.isArray(members)) return fail(`an array is expected, found ${show(value)}`)
  const texts: string[] = []
  for (const member of members.filter((each) => each !== '')) {
    const text = readMember(member, column)
    if (!text.ok) return text
    if (!texts.includes(text.value)) texts.push(text.value)
  }
  // A list without members is an empty column.
  return succeed(texts.length === 0 ? null : texts)
}

function readMember(member: unknown, column: TypedColumn): Result<string, string> {
  const text = column.reference === null ? scalarText(member) : idText(member)?.trim()
  if (text === undefined || text.includes('\0'))
    return fail(`a text or a sys_id is expected in the array, found ${show(member)}`)
  const id = column.reference === null ? text : readSysId(text, column.key ?? OWN_KEY)
  if (id === null) return fail(`the sys_id of a record is expected in the array, found ${show(member)}`)
  const error = choiceError(text, column.choices)
  return error === null ? succeed(id) : fail(error)
}

function parseMembers(
  members: readonly unknown[],
  { choices }: TypedColumn,
  reader: Reader,
): Result<readonly unknown[], string> {
  if (choices.length === 0) return succeed(members)
  const values: unknown[] = []
  for (const member of members) {
    const read = typeof member === 'string' ? parseTitle(member, choices, reader) : succeed(member)
    if (!read.ok) return read
    values.push(read.value)
  }
  return succeed(values)
}
