import { type RawBuilder, sql } from 'kysely'
import type { ColumnType } from '../catalog.ts'
import type { ReferenceTarget } from './definition.ts'

type Expression = RawBuilder<unknown>

/** How the values of a column become values of another type. */
export interface Conversion {
  /** The new value of an old one that `keeps` lets through. */
  readonly value: (old: Expression) => Expression
  /** Whether an old value, never null, has a new one; null: each has. Others become empty, which is a loss. */
  readonly keeps: ((old: Expression) => Expression) | null
}

interface Side {
  readonly type: ColumnType
  readonly reference: ReferenceTarget | null
}

/** @returns null when values of the one type mean nothing in the other */
export function conversionOf(from: Side, to: Side): Conversion | null {
  const source = groupOf(from.type)
  const target = groupOf(to.type)
  if (source === 'secret' || target === 'secret' || source === 'none' || target === 'none') {
    return from.type === to.type ? SAME : null
  }
  if (source === 'text') return fromText(to, to.type === 'html' && !holdsMarkup(from.type))
  if (target === 'text') return toText(from.type)
  if (source === 'whole' && target === 'id') return restrict(SAME, pointsInto(to.reference))
  if (source === 'id' && target === 'id') return restrict(SAME, pointsInto(to.reference))
  if (source === 'id' && to.type === 'biginteger') return SAME
  if (isNumber(source) && isNumber(target)) return betweenNumbers(to.type)
  if (source === 'boolean' && isNumber(target)) return { value: (old) => sql`${old}::integer`, keeps: null }
  if (isNumber(source) && target === 'boolean') {
    return { value: (old) => sql`${old} = 1`, keeps: (old) => sql`${old} in (0, 1)` }
  }
  if (from.type === 'date' && to.type === 'datetime') return { value: (old) => sql`${old}::timestamp(0)`, keeps: null }
  if (from.type === 'datetime' && to.type === 'date') {
    return { value: (old) => sql`${old}::date`, keeps: (old) => sql`${old} = date_trunc('day', ${old})` }
  }
  if (from.type === 'list' && to.type === 'list') return restrict(SAME, membersPointInto(to.reference))
  return from.type === to.type ? SAME : null
}

const SAME: Conversion = { value: (old) => old, keeps: null }

type Group = 'text' | 'whole' | 'number' | 'id' | 'boolean' | 'other' | 'secret' | 'none'

const GROUPS: Partial<Record<ColumnType, Group>> = {
  integer: 'whole',
  smallinteger: 'whole',
  biginteger: 'whole',
  duration: 'whole',
  percent_complete: 'whole',
  days_of_week: 'whole',
  decimal: 'number',
  float: 'number',
  boolean: 'boolean',
  reference: 'id',
  sys_id: 'id',
  image: 'id',
  file: 'id',
  date: 'other',
  datetime: 'other',
  time: 'other',
  list: 'other',
  json: 'other',
  document_id: 'other',
  journal_input: 'none',
  password: 'secret',
  encrypted: 'secret',
}

/** Everything that is stored as text and may be read is text. */
const groupOf = (type: ColumnType): Group => GROUPS[type] ?? 'text'

const isNumber = (group: Group): boolean => group === 'whole' || group === 'number'

/** Texts of other types become HTML that shows the same. A WYSIWYG column holds plain text, too: a text stays as it is there. */
const holdsMarkup = (type: ColumnType): boolean => type === 'html' || type === 'wysiwyg'

const RANGES: Partial<Record<ColumnType, readonly [least: string, most: string]>> = {
  smallinteger: ['-32768', '32767'],
  integer: ['-2147483648', '2147483647'],
  biginteger: ['-9223372036854775808', '9223372036854775807'],
  duration: ['-9223372036854775808', '9223372036854775807'],
  percent_complete: ['0', '100'],
  days_of_week: ['0', '127'],
}

const STORAGE: Partial<Record<ColumnType, Expression>> = {
  smallinteger: sql`smallint`,
  integer: sql`integer`,
  biginteger: sql`bigint`,
  duration: sql`bigint`,
  percent_complete: sql`integer`,
  days_of_week: sql`smallint`,
  decimal: sql`numeric`,
  float: sql`double precision`,
}

function betweenNumbers(to: ColumnType): Conversion {
  const storage = STORAGE[to] ?? sql`numeric`
  const value = (old: Expression): Expression => sql`${old}::numeric::${storage}`
  const range = RANGES[to]
  if (range !== undefined) return { value, keeps: inRange(range) }
  return to === 'float'
    ? { value, keeps: (old) => sql`${old}::numeric = ${value(old)}::numeric` }
    : { value, keeps: null }
}

const inRange =
  ([least, most]: readonly [string, string]) =>
  (old: Expression): Expression =>
    sql`(${old}::numeric = trunc(${old}::numeric) and ${old}::numeric between ${sql.raw(least)} and ${sql.raw(most)})`

// ── to and from text ──

function toText(from: ColumnType): Conversion {
  if (from !== 'list') return { value: (old) => sql`${old}::text`, keeps: null }
  const joined = (old: Expression): Expression => sql`array_to_string(${old}, ',')`
  // A comma inside of a member would make two of it.
  return { value: joined, keeps: (old) => sql`string_to_array(${joined(old)}, ',') = ${old}` }
}

/** What a text of the type looks like; PostgreSQL would take more, such as `today` for a date. */
const SHAPES: Partial<Record<ColumnType, string>> = {
  smallinteger: '^[+-]?[0-9]{1,5}$',
  integer: '^[+-]?[0-9]{1,10}$',
  biginteger: '^[+-]?[0-9]{1,19}$',
  duration: '^[+-]?[0-9]{1,19}$',
  percent_complete: '^[0-9]{1,3}$',
  days_of_week: '^[0-9]{1,3}$',
  decimal: '^[+-]?[0-9]{1,30}([.][0-9]{1,20})?$',
  float: '^[+-]?[0-9]{1,40}([.][0-9]{1,40})?(e[+-]?[0-9]{1,3})?$',
  boolean: '^(true|false|0|1)$',
  date: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
  datetime: '^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2})?)?$',
  time: '^[0-9]{2}:[0-9]{2}(:[0-9]{2})?$',
  document_id: '^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$',
  reference: '^[0-9]{1,18}$',
  image: '^[0-9]{1,18}$',
  file: '^[0-9]{1,18}$',
}

const READ_AS: Partial<Record<ColumnType, string>> = {
  ...Object.fromEntries(['smallinteger', 'days_of_week'].map((type) => [type, 'smallint'])),
  ...Object.fromEntries(['integer', 'percent_complete'].map((type) => [type, 'integer'])),
  ...Object.fromEntries(['biginteger', 'duration', 'reference', 'image', 'file'].map((type) => [type, 'bigint'])),
  decimal: 'numeric',
  float: 'double precision',
  boolean: 'boolean',
  date: 'date',
  datetime: 'timestamp',
  time: 'time',
  document_id: 'uuid',
  json: 'jsonb',
}

function fromText(to: Side, escapes: boolean): Conversion {
  if (groupOf(to.type) === 'text') return escapes ? { value: escaped, keeps: null } : SAME
  if (to.type === 'list') {
    const members = (old: Expression): Expression => sql`string_to_array(nullif(${old}, ''), ',')`
    return restrict(
      { value: members, keeps: null },
      (old) => membersPointInto(to.reference)?.(members(old)) ?? sql`true`,
    )
  }
  const storage = sql.raw(READ_AS[to.type] ?? 'text')
  const value = (old: Expression): Expression => sql`nullif(${old}, '')::${storage}`
  const shape = SHAPES[to.type]
  const range = RANGES[to.type]
  const keeps = (old: Expression): Expression => sql`case when ${old} = '' then true
    when ${shape === undefined ? sql`false` : sql`lower(${old}) !~ ${sql.lit(shape)}`} then false
    when not docket_system.is_valid(${old}, ${sql.lit(READ_AS[to.type] ?? 'text')}::regtype) then false
    else ${range === undefined ? (pointsInto(to.reference)?.(value(old)) ?? sql`true`) : inRange(range)(value(old))} end`
  return { value, keeps }
}

/** A text as markup that shows the same text. */
const escaped = (old: Expression): Expression =>
  sql`replace(replace(replace(${old}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')`

// ── references ──

type Keeps = ((old: Expression) => Expression) | null

function pointsInto(target: ReferenceTarget | null): Keeps {
  if (target === null) return null
  return (id) => sql`exists (select from ${familyRows(target)} and target.${sql.id(target.keyColumn)} = ${id})`
}

function membersPointInto(target: ReferenceTarget | null): Keeps {
  if (target === null) return null
  return (ids) => sql`not exists (select from unnest(${ids}) as member where not exists (
    select from ${familyRows(target)} and target.${sql.id(target.keyColumn)}::text = member))`
}

/** Rows of the table and its children, which may share a PostgreSQL table with others. */
function familyRows(target: ReferenceTarget): Expression {
  return sql`${sql.id(target.storage.schema, target.storage.table)} as target where target.sys_db_table_id in (
    with recursive family as (
      select ${sql.lit(target.tableId)}::bigint as id
      union all select child.sys_id from docket.sys_db_table child join family on child.parent_id = family.id)
    select id from family)`
}

function restrict(conversion: Conversion, keeps: Keeps): Conversion {
  if (keeps === null) return conversion
  const before = conversion.keeps
  return { ...conversion, keeps: before === null ? keeps : (old) => sql`(${before(old)} and ${keeps(old)})` }
}
