import { comparedAs, type RecordKey } from '../../column-types/record-key.ts'
import { sql } from '../../kernel/sql.ts'
import type { Expression } from './expression.ts'

/**
 * The only place that knows how a row is found by its sys_id. Each comparison is on PostgreSQL's own columns and types, so that
 * their indexes, collations and operators apply.
 */

/** Returns a column of the key in a row. */
export type PartAt = (index: number) => Expression

/** @param id in the SQL type of the table's sys_ids: bigint, uuid, or text. Null matches no row */
export function isKey(key: RecordKey, at: PartAt, id: Expression): Expression {
  return compare(
    key,
    at,
    id,
    ({ type }, index) => sql`docket_system.key_part(${id}, ${sql.lit(index + 1)})::${sql.raw(type)}`,
  )
}

/** @param id from a request. An id with a part that its column cannot have matches no row, and causes no error */
export function isRequestedKey(key: RecordKey, at: PartAt, id: Expression): Expression {
  return compare(key, at, id, ({ type }, index) => partOf(id, index, type))
}

/** A part of a sys_id as a value of its type; null if it cannot be converted. */
export function partOf(sysId: Expression, index: number, type: string): Expression {
  return sql`docket_system.key_part(${sysId}, ${sql.lit(index + 1)}, null::${sql.raw(type)})`
}

/** @param name the text of a sys_id, possibly of another table: columns that refer to records of any table have such texts */
export function isNamed(key: RecordKey, at: PartAt, name: Expression): Expression {
  switch (key.kind) {
    case 'whole':
      return sql`${at(0)} = docket_system.whole_id(${name})`
    case 'uuid':
      return sql`${at(0)} = docket_system.uuid_id(${name})`
    default:
      return isRequestedKey(key, at, withoutCollation(name))
  }
}

/** Columns of such texts have a collation. Compared with a key, a text must have that of the key; a text from JSON has none. */
export const withoutCollation = (name: Expression): Expression => sql`(to_jsonb(${name}::text) #>> '{}')`

/** @param names an array of sys_ids as texts, each valid for the key of the table */
export function isAmong(key: RecordKey, at: PartAt, names: Expression): Expression {
  switch (key.kind) {
    case 'whole':
      return sql`${at(0)} = any(${names}::bigint[])`
    case 'uuid':
      return sql`${at(0)} = any(${names}::uuid[])`
    case 'text':
      return sql`${at(0)} ${operatorOf(comparedAs(key), '=')} any(${names}::text[]${arrayOf(comparedAs(key))})`
    case 'parts':
      return sql`exists (select from unnest(${names}::text[]) as k (name) where ${isRequestedKey(key, at, sql`k.name`)})`
  }
}

/** The cast to an array of a type. @param type null: no cast is needed */
export const arrayOf = (type: string | null): Expression => (type === null ? sql`` : sql.raw(`::${type}[]`))

/** The search path does not contain extensions, so the operators of their types need the schema of the type. */
export function operatorOf(type: string | null, operator: '=' | '<' | '>'): Expression {
  const schema = /^(.+)\.citext$/.exec(type ?? '')?.[1]
  return sql.raw(schema === undefined ? operator : `operator(${schema}.${operator})`)
}

/** Condition: two rows of the table have the same key. */
export function isSameKey({ parts }: RecordKey, one: PartAt, other: PartAt): Expression {
  return sql.join(
    parts.map(({ type }, index) => sql`${one(index)} ${operatorOf(type, '=')} ${other(index)}`),
    sql` and `,
  )
}

type WritePart = (part: RecordKey['parts'][number], index: number) => Expression

function compare(key: RecordKey, at: PartAt, id: Expression, writePart: WritePart): Expression {
  if (key.kind === 'parts') {
    return sql.join(
      key.parts.map((part, index) => sql`${at(index)} ${operatorOf(part.type, '=')} ${writePart(part, index)}`),
      sql` and `,
    )
  }
  const type = comparedAs(key)
  return type === null ? sql`${at(0)} = ${id}` : sql`${at(0)} ${operatorOf(type, '=')} (${id})::${sql.raw(type)}`
}

/** The SQL type of the table's sys_ids. */
export function typeOfKey({ kind }: RecordKey): Expression {
  switch (kind) {
    case 'whole':
      return sql`bigint`
    case 'uuid':
      return sql`uuid`
    default:
      return sql`text`
  }
}

/** Makes a sys_id of the columns of the key; null if one of them is null. */
export function keyOf({ kind, parts }: RecordKey, at: PartAt): Expression {
  if (kind !== 'parts') return at(0)
  const printed = parts.map(({ type }, index) =>
    PLAIN.has(type) ? sql`${at(index)}::text` : sql`docket_system.print_key_part(${at(index)}::text)`,
  )
  return sql`(${sql.join(printed, sql` || '~' || `)})`
}

/** Types whose values need no escaping in a sys_id. */
const PLAIN: ReadonlySet<string> = new Set(['smallint', 'integer', 'bigint', 'uuid', 'date', 'boolean', 'numeric'])
