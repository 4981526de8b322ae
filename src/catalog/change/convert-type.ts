import type { Conversion, Conversions } from '../../column-types/column-type.ts'
import { type ColumnTypeName, columnTypeOf } from '../../column-types/column-types.ts'
import type { Expression } from '../../column-types/expression.ts'
import { sql } from '../../kernel/sql.ts'
import type { ReferenceTarget } from './definition.ts'

interface Side {
  readonly type: ColumnTypeName
  readonly reference: ReferenceTarget | null
}

/** @returns null if values of the old type cannot be converted to the new one */
export function conversionOf(from: Side, to: Side): Conversion | null {
  const source = columnTypeOf(from).convert
  const target = columnTypeOf(to).convert
  const isSame = from.type === to.type
  if (source.group === 'fixed' || target.group === 'fixed') return isSame ? SAME : null
  if (source.group === 'text') return fromText(to, target.escapesText === true && source.holdsMarkup !== true)
  if (target.group === 'text') return toText(source)
  if ((source.group === 'whole' || source.group === 'id') && target.group === 'id')
    return restrict(SAME, pointsInto(to.reference))
  if (source.group === 'id' && target.takesIds === true) return SAME
  if (isNumber(source) && isNumber(target)) return betweenNumbers(to)
  if (source.group === 'boolean' && isNumber(target)) return { value: (old) => sql`${old}::integer`, keeps: null }
  if (isNumber(source) && target.group === 'boolean') {
    return { value: (old) => sql`${old} = 1`, keeps: (old) => sql`${old} in (0, 1)` }
  }
  if (source.group === 'list' && isSame) return restrict(SAME, membersPointInto(to.reference))
  return target.from?.[from.type] ?? (isSame ? SAME : null)
}

const SAME: Conversion = { value: (old) => old, keeps: null }

const isNumber = ({ group }: Conversions): boolean => group === 'whole' || group === 'number'

/** PostgreSQL's type, without the precision that the column defines. */
const storageOf = (side: Side): string => (columnTypeOf(side).storage.type ?? 'text').replace('(0)', '')

function betweenNumbers(to: Side): Conversion {
  const { range, isBinary } = columnTypeOf(to).convert
  const value = (old: Expression): Expression => sql`${old}::numeric::${sql.raw(storageOf(to))}`
  if (range !== undefined) return { value, keeps: inRange(range) }
  return isBinary === true
    ? { value, keeps: (old) => sql`${old}::numeric = ${value(old)}::numeric` }
    : { value, keeps: null }
}

const inRange =
  ([min, max]: readonly [string, string]) =>
  (old: Expression): Expression =>
    sql`(${old}::numeric = trunc(${old}::numeric) and ${old}::numeric between ${sql.raw(min)} and ${sql.raw(max)})`

// ── to and from text ──

function toText({ group }: Conversions): Conversion {
  if (group !== 'list') return { value: (old) => sql`${old}::text`, keeps: null }
  const joined = (old: Expression): Expression => sql`array_to_string(${old}, ',')`
  // A comma inside a member would split it.
  return { value: joined, keeps: (old) => sql`string_to_array(${joined(old)}, ',') = ${old}` }
}

function fromText(to: Side, escapes: boolean): Conversion {
  const { group, pattern, range } = columnTypeOf(to).convert
  if (group === 'text') return escapes ? { value: escaped, keeps: null } : SAME
  if (group === 'list') {
    const members = (old: Expression): Expression => sql`string_to_array(nullif(${old}, ''), ',')`
    return restrict(
      { value: members, keeps: null },
      (old) => membersPointInto(to.reference)?.(members(old)) ?? sql`true`,
    )
  }
  const storage = storageOf(to)
  const value = (old: Expression): Expression => sql`nullif(${old}, '')::${sql.raw(storage)}`
  const keeps = (old: Expression): Expression => sql`case when ${old} = '' then true
    when ${pattern === undefined ? sql`false` : sql`lower(${old}) !~ ${sql.lit(pattern)}`} then false
    when not docket_system.is_valid(${old}, ${sql.lit(storage)}::regtype) then false
    else ${range === undefined ? (pointsInto(to.reference)?.(value(old)) ?? sql`true`) : inRange(range)(value(old))} end`
  return { value, keeps }
}

/** A text as markup that displays the same text. */
const escaped = (old: Expression): Expression =>
  sql`replace(replace(replace(${old}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')`

// ── references ──

type Keeps = ((old: Expression) => Expression) | null

function pointsInto(target: ReferenceTarget | null): Keeps {
  if (target === null) return null
  return (id) => sql`exists (select from ${descendantRows(target)} and target.${sql.id(target.keyColumn)} = ${id})`
}

function membersPointInto(target: ReferenceTarget | null): Keeps {
  if (target === null) return null
  return (ids) => sql`not exists (select from unnest(${ids}) as listed (member) where not exists (
    select from ${descendantRows(target)} and target.${sql.id(target.keyColumn)}::text = listed.member))`
}

/** Rows of the table and its children, which may share a PostgreSQL table with others. */
function descendantRows(target: ReferenceTarget): Expression {
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
