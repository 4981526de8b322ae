import { sql } from 'kysely'
import { comparedAs, type RecordKey } from '../../column-types/record-key.ts'
import type { Expression } from './expression.ts'

/**
 * The one place that knows how a row is found by its sys_id: each comparison is written on PostgreSQL's own columns and types, so
 * that their indexes, collations and operators decide.
 */

/** Where the parts of a key stand in the row at hand. */
export type PartAt = (index: number) => Expression

/** @param id of the type that sys_ids of the table have in SQL: bigint, uuid, else text. Null is nobody's */
export function isKey(key: RecordKey, at: PartAt, id: Expression): Expression {
  return compare(
    key,
    at,
    id,
    ({ type }, index) => sql`docket_system.key_part(${id}, ${sql.lit(index + 1)})::${sql.raw(type)}`,
  )
}

/** @param id as it was asked for: what no part of a key can be ends no statement, and is nobody's */
export function isRequestedKey(key: RecordKey, at: PartAt, id: Expression): Expression {
  return compare(key, at, id, ({ type }, index) => partOf(id, index, type))
}

/** A part of a sys_id as a value of its type; null where it is none. */
export function partOf(sysId: Expression, index: number, type: string): Expression {
  return sql`docket_system.key_part(${sysId}, ${sql.lit(index + 1)}, null::${sql.raw(type)})`
}

/** @param name the text of a sys_id, of whatever table: records of any table are referred to so */
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

/** Columns of names sort by bytes; compared with a key, a text shall have the collation of the key. JSON has none. */
export const withoutCollation = (name: Expression): Expression => sql`(to_jsonb(${name}::text) #>> '{}')`

/** @param names an array of sys_ids as texts, none of which the table could not have */
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

/** The cast to an array of a type; null: there is none to make. */
export const arrayOf = (type: string | null): Expression => (type === null ? sql`` : sql.raw(`::${type}[]`))

/** Operators are looked for where our own are; those of a type that an extension brings stand beside it. */
export function operatorOf(type: string | null, operator: '=' | '<' | '>'): Expression {
  const schema = /^(.+)\.citext$/.exec(type ?? '')?.[1]
  return sql.raw(schema === undefined ? operator : `operator(${schema}.${operator})`)
}

/** Both are rows of the table, told apart by all parts of the key. */
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

/** What sys_ids of the table are in SQL. */
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

/** A sys_id from the columns that make it; null where one of them is empty. */
export function keyOf({ kind, parts }: RecordKey, at: PartAt): Expression {
  if (kind !== 'parts') return at(0)
  const printed = parts.map(({ type }, index) =>
    PLAIN.has(type) ? sql`${at(index)}::text` : sql`docket_system.print_key_part(${at(index)}::text)`,
  )
  return sql`(${sql.join(printed, sql` || '~' || `)})`
}

/** Types whose values hold nothing that has to be written otherwise. */
const PLAIN: ReadonlySet<string> = new Set(['smallint', 'integer', 'bigint', 'uuid', 'date', 'boolean', 'numeric'])
