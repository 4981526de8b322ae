import { sql } from '../kernel/sql.ts'
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
  /** Of a `scalar`: its text is its JSON. */
  readonly isBare?: true
  /** The text of a filled `plain` piece, SQL null where it is empty. */
  readonly orNull?: Expression
  /** The same JSON text for every record. */
  readonly text?: string
}

export const scalar = (value: Expression): JsonPiece => ({ kind: 'scalar', sql: value })
/** A whole number or a boolean. */
export const bare = (value: Expression): JsonPiece => ({ ...scalar(value), isBare: true })
export const plain = (text: Expression): JsonPiece => ({ kind: 'plain', sql: text })
export const json = (text: Expression): JsonPiece => ({ kind: 'json', sql: text })

/** The value's text, which needs no escaping. */
export const plainText = (value: Expression): JsonPiece => plain(sql`${value}::text`)
export const noValue = (): JsonPiece => ({ ...scalar(sql`null::text`), text: 'null' })

/** The same text for every record. */
export function constant(value: string): JsonPiece {
  const text = JSON.stringify(value)
  return { ...json(sql`${sql.lit(text)}`), isFilled: true, text }
}

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

function filledText({ kind, sql: value, isBare }: JsonPiece): Expression {
  switch (kind) {
    case 'json':
      return value
    case 'plain':
      return sql`'"' || ${value} || '"'`
    case 'scalar':
      return isBare === true ? sql`${value}::text` : sql`to_json(${value})::text`
    default:
      return unreachable(kind)
  }
}

/** Arguments of `concat`: a string is text of the statement itself. */
export type ConcatParts = readonly (string | Expression)[]

/** JSON text of a piece, as arguments of `concat`, which writes texts of any type and nothing for null. */
export function jsonParts(piece: JsonPiece): ConcatParts {
  const { kind, sql: value, isFilled, isBare, orNull, text } = piece
  if (text !== undefined) return [text]
  if (isFilled !== true || kind === 'json' || isBare === true) return [jsonText(piece)]
  return kind === 'plain' ? ['"', orNull ?? value, '"'] : [sql`to_json(${value})`]
}

/**
 * One call for many parts. PostgreSQL checks and prepares each function of a statement at each execution, and each `||` copies the text
 * in front of it (docs/decisions/0029). Parts that are null are left out.
 */
export function concatOf(parts: ConcatParts): Expression {
  const values: (string | Expression)[] = []
  for (const part of parts) {
    const last = values.at(-1)
    if (typeof part === 'string' && typeof last === 'string') values[values.length - 1] = last + part
    else values.push(part)
  }
  const expressions = values.map((value) => (typeof value === 'string' ? sql`${sql.lit(value)}` : value))
  const groups: Expression[] = []
  for (let at = 0; at < expressions.length; at += MAX_ARGUMENTS)
    groups.push(sql`concat(${sql.join(expressions.slice(at, at + MAX_ARGUMENTS))})`)
  const [only, second] = groups
  return only !== undefined && second === undefined ? only : sql`concat(${sql.join(groups)})`
}

/** PostgreSQL's limit for a call. */
const MAX_ARGUMENTS = 100
