import { sql } from 'kysely'
import { unreachable } from '../kernel/unreachable.ts'
import type { Expression } from './expression.ts'
import { isTextual, type RecordKey } from './record-key.ts'

/**
 * A field's value before conversion to JSON. `scalar`: `to_json` gives the right JSON. `plain`: text without characters to
 * escape, such as digits and dates. `json`: JSON text, SQL null if the field is empty.
 */
export interface JsonPiece {
  readonly kind: 'scalar' | 'plain' | 'json'
  readonly sql: Expression
  /** It is never SQL null. */
  readonly isFilled?: true
}

export const scalar = (value: Expression): JsonPiece => ({ kind: 'scalar', sql: value })
export const plain = (text: Expression): JsonPiece => ({ kind: 'plain', sql: text })
export const json = (text: Expression): JsonPiece => ({ kind: 'json', sql: text })

/** The value's text, which needs no escaping. */
export const plainText = (value: Expression): JsonPiece => plain(sql`${value}::text`)
export const noValue = (): JsonPiece => scalar(sql`null::text`)

/** sys_ids may contain any text. */
export const isAnyText = ({ key }: { readonly key: RecordKey | null }): boolean => key !== null && isTextual(key)

/** Digits and UUIDs need no escaping. */
export const idPiece = (value: Expression, column: { readonly key: RecordKey | null }): JsonPiece =>
  isAnyText(column) ? scalar(sql`${value}::text`) : plainText(value)

/** JSON text of a piece, never SQL null. */
export function jsonText(piece: JsonPiece): Expression {
  const text = filledText(piece)
  return piece.isFilled === true ? text : sql`coalesce(${text}, 'null')`
}

function filledText({ kind, sql: value }: JsonPiece): Expression {
  switch (kind) {
    case 'json':
      return value
    case 'plain':
      return sql`'"' || ${value} || '"'`
    case 'scalar':
      return sql`to_json(${value})::text`
    default:
      return unreachable(kind)
  }
}
