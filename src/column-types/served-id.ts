import { sql } from '../kernel/sql.ts'
import type { Expression } from './expression.ts'
import { type JsonPiece, plain, scalar } from './json-piece.ts'
import type { GivenIdColumn, RecordKey, WellKnownIds } from './record-key.ts'

/** Digits of each half: the prefix of the database, and the number of the record. */
const HALF = 16

type Served = Pick<RecordKey, 'kind' | 'given' | 'wellKnown'>

/**
 * A sys_id as 32 hexadecimal digits, or as the id that the record had in another system. A number follows the prefix, so that texts sort like the numbers; a UUID loses its
 * hyphens. Other keys are texts and stay unchanged.
 */
export function servedId(value: Expression, key: Served | null, prefix: string): JsonPiece {
  switch (key?.kind) {
    case 'uuid':
      return plain(sql`replace(${value}::text, '-', '')`)
    case 'text':
    case 'parts':
      return scalar(sql`${value}::text`)
    default: {
      const own = knownOr(value, key?.wellKnown, sql`${sql.lit(prefix)} || ${ownDigits(value)}`)
      return key?.given === undefined ? plain(own) : scalar(sql`coalesce(${givenIdOf(value, key.given)}, ${own})`)
    }
  }
}

/** The digits behind the prefix. By the eight bytes of the number, which takes less of PostgreSQL's CPU than to_hex and lpad. */
export const ownDigits = (value: Expression): Expression => sql`encode(int8send(${value}::bigint), 'hex')`

/** Whether every id follows from the number of its record. */
export const isServedByNumber = (key: Served | null): boolean =>
  key?.given === undefined && (key === null || key.kind === 'whole')

/** A few records have ids that scripts contain: constants, because every reference to such a table compares with them. */
function knownOr(value: Expression, known: WellKnownIds | undefined, own: Expression): Expression {
  if (known === undefined) return own
  const branches = [...known].map(([sysId, id]) => sql`when ${sql.raw(BigInt(sysId).toString())} then ${sql.lit(id)}`)
  return sql`case ${value}::bigint ${sql.join(branches, sql` `)} else ${own} end`
}

/** The index on the served ids of a hierarchy has the same text (catalog/change/index-served-ids.ts). */
const ownServedId = (value: Expression, { prefix, wellKnown }: OwnIds): Expression =>
  knownOr(value, wellKnown, sql`${sql.lit(prefix)} || lpad(to_hex(${value}::bigint), ${sql.lit(HALF)}, '0')`)

/** What the ids are made of that no other system gave. */
export interface OwnIds {
  /** That of this database. */
  readonly prefix: string
  readonly wellKnown: WellKnownIds | undefined
}

const givenIdOf = (value: Expression, { schema, table, column }: GivenIdColumn): Expression =>
  sql`(select g.${sql.id(column)} from ${sql.id(schema, table)} as g where g.sys_id = ${value})`

/** The served id of a row at hand, in the order of its bytes. @param given the value of the column with ids of another system; null: none */
export function servedIdOfRow(value: Expression, given: Expression | null, ids: OwnIds): Expression {
  const own = ownServedId(value, ids)
  return given === null ? sql`((${own}) collate "C")` : sql`(coalesce(${given}, ${own}) collate "C")`
}

/** The text of a sys_id of any table: only numbers can be those of our own tables. @param given columns of all tables that have them */
export function servedName(value: Expression, ids: OwnIds, given: readonly GivenIdColumn[]): Expression {
  const id = sql`${value}::bigint`
  const own = ownServedId(id, ids)
  const served = given.length === 0 ? own : sql`coalesce(${sql.join(given.map((each) => givenIdOf(id, each)))}, ${own})`
  return sql`case when ${value} ~ '^[0-9]{1,18}$' then ${served} else ${value} end`
}

export function printServedId(
  sysId: string,
  { kind, wellKnown }: Pick<RecordKey, 'kind' | 'wellKnown'>,
  prefix: string,
): string {
  const known = wellKnown?.get(sysId)
  if (known !== undefined) return known
  if (kind === 'whole') return prefix + BigInt(sysId).toString(16).padStart(HALF, '0')
  return kind === 'uuid' ? sysId.replaceAll('-', '') : sysId
}

/** Records by the ids that they had in another system. */
export interface GivenIds {
  /** @param key null: of any table. @returns the own sys_id; null: no record has this id */
  readonly sysIdOf: (id: string, key: Served | null) => string | null
}

/** The well-known ids of the tables, which are read like those that records had in another system. */
export function wellKnownIdsOf(keys: readonly Served[]): GivenIds {
  const anywhere = new Map(keys.flatMap(({ wellKnown }) => bySysId(wellKnown)))
  return {
    sysIdOf(id, key) {
      if (key === null) return anywhere.get(id) ?? null
      return bySysId(key.wellKnown).find(([known]) => known === id)?.[1] ?? null
    },
  }
}

/** Whether the id is that of a record of ours, by name. */
export const isWellKnown = (id: string, { wellKnown }: Pick<RecordKey, 'wellKnown'>): boolean =>
  bySysId(wellKnown).some(([known]) => known === id.toLowerCase())

const bySysId = (known: WellKnownIds | undefined): readonly (readonly [id: string, sysId: string])[] =>
  [...(known ?? [])].map(([sysId, id]) => [id, sysId])

/** How an id is written for comparisons: in lower case, without the hyphens of a UUID. */
export function comparedId(text: string): string {
  const id = text.trim().toLowerCase()
  return /^[0-9a-z]{8}(-[0-9a-z]{4}){3}-[0-9a-z]{12}$/.test(id) ? id.replaceAll('-', '') : id
}

/** Whether a text may be an id of another system. */
export const isGivenId = (text: string): boolean => /^[0-9a-z]{32}$/i.test(text)

/**
 * The id of another system that a text is, without the hyphens of a UUID.
 *
 * @param key of the table whose record it would name
 * @param prefix that of this database: an id with it is the served id of one of its own records
 * @returns null: it is no such id, or one of a record of ours
 */
export function givenIdIn(text: string, key: Served, prefix: string): string | null {
  const compared = comparedId(text)
  if (!isGivenId(compared) || compared.startsWith(prefix)) return null
  if (isWellKnown(compared, key)) return null
  return text.trim().replaceAll('-', '')
}

/**
 * @param key null: of any table
 * @returns null: no record with such a key has this id
 */
export function readServedId(
  text: string,
  key: Served | null,
  { prefix, given }: { readonly prefix: string; readonly given: GivenIds },
): string | null {
  const kind = key?.kind ?? 'whole'
  if (kind === 'text' || kind === 'parts') return text.trim() === '' ? null : text
  const digits = comparedId(text)
  if (kind === 'whole') {
    if (/^\d{18}$/.test(digits)) return BigInt(digits).toString()
    const known = isGivenId(digits) ? given.sysIdOf(digits, key) : null
    if (known !== null) return known
  }
  if (!/^[0-9a-f]{32}$/.test(digits)) return null
  if (kind === 'uuid') return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  if (!digits.startsWith(prefix)) return null
  const number = BigInt(`0x${digits.slice(HALF)}`)
  return number <= MAX_SYS_ID ? number.toString() : null
}

const MAX_SYS_ID = 999_999_999_999_999_999n

/**
 * The number that represents any text in an order of ids. A text with fewer digits sorts before the ids that begin with it.
 *
 * @param isBeyond the operator is `>` or `<=`: the number itself belongs to the values before
 */
export function boundOfServedId(text: string, prefix: string, isBeyond: boolean): string {
  const id = text.trim().toLowerCase()
  const head = id.slice(0, HALF)
  if (head !== prefix) return head < prefix ? '-1' : String(MAX_SYS_ID + 1n)
  const digits = /^[0-9a-f]{0,16}/.exec(id.slice(HALF))?.[0] ?? ''
  const number = BigInt(`0x${digits.padEnd(HALF, '0')}`)
  if (number > MAX_SYS_ID) return String(MAX_SYS_ID + 1n)
  return String(digits.length < HALF && isBeyond ? number - 1n : number)
}
