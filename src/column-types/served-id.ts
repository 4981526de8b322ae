import { sql } from 'kysely'
import type { Expression } from './expression.ts'
import { type JsonPiece, plain, scalar } from './json-piece.ts'
import type { RecordKey } from './record-key.ts'

/** Digits of each half: the prefix of the database, and the number of the record. */
const HALF = 16

/**
 * A sys_id as 32 hexadecimal digits. A number follows the prefix, so that texts sort like the numbers; a UUID loses its
 * hyphens. Other keys are texts and stay unchanged.
 */
export function servedId(value: Expression, key: Pick<RecordKey, 'kind'> | null, prefix: string): JsonPiece {
  switch (key?.kind) {
    case 'uuid':
      return plain(sql`replace(${value}::text, '-', '')`)
    case 'text':
    case 'parts':
      return scalar(sql`${value}::text`)
    default:
      return plain(sql`${sql.lit(prefix)} || lpad(to_hex(${value}::bigint), ${sql.lit(HALF)}, '0')`)
  }
}

/** The text of a sys_id of any table: only numbers can be those of our own tables. */
export const servedName = (value: Expression, prefix: string): Expression =>
  sql`case when ${value} ~ '^[0-9]{1,18}$' then ${servedId(sql`${value}::bigint`, null, prefix).sql} else ${value} end`

export function printServedId(sysId: string, { kind }: Pick<RecordKey, 'kind'>, prefix: string): string {
  if (kind === 'whole') return prefix + BigInt(sysId).toString(16).padStart(HALF, '0')
  return kind === 'uuid' ? sysId.replaceAll('-', '') : sysId
}

/** @returns null: no record with such a key has this id */
export function readServedId(text: string, { kind }: Pick<RecordKey, 'kind'>, prefix: string): string | null {
  const id = text.trim()
  if (kind === 'text' || kind === 'parts') return id === '' ? null : id
  if (!/^[0-9a-f]{32}$/i.test(id)) return null
  const digits = id.toLowerCase()
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
  return String(digits.length < HALF && isBeyond ? number - 1n : number)
}
