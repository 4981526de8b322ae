import type { Column } from '../../catalog/catalog.ts'
import type { Names } from '../../catalog/vocabulary.ts'
import type { ServedIds } from '../../column-types/column-type.ts'
import { columnTypeOf } from '../../column-types/column-types.ts'
import {
  type ConcatParts,
  concatOf,
  constant,
  type JsonPiece,
  json,
  jsonParts,
  jsonText,
  plain,
} from '../../column-types/json-piece.ts'
import { isServedByNumber, ownDigits, servedId, servedName } from '../../column-types/served-id.ts'
import { succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { Display } from '../parse/record-request.ts'
import { ofRequest, Param, type RequestValues } from '../plan/value-source.ts'
import type { Expression } from './expression.ts'

/** A field of an API whose values are all texts: no value is null, and only references are objects. */
export interface TextField {
  readonly column: Column
  /** The stored value. */
  readonly value: Expression
  /** The display value. */
  readonly displayed: () => JsonPiece
  /** Name of the referenced table; null: the value has no link. */
  readonly linkedTo: string | null
  /** The caller may read the value in every row. */
  readonly isAlwaysVisible: boolean
}

export function writeTextField(field: TextField, display: Display, names: Names): JsonPiece {
  const read = readAsText(field, names)
  // A link is written where the value is not null.
  const stored: JsonPiece = field.linkedTo === null ? textOf(read) : { ...read, isFilled: true }
  switch (display) {
    case 'value':
      if (field.linkedTo === null) return stored
      return isServedByNumber(field.column.key)
        ? writeReference(field, names)
        : writeLinked({ value: stored }, field, names)
    case 'display': {
      const displayed = textOf(field.displayed())
      return field.linkedTo === null ? displayed : writeLinked({ display_value: displayed }, field, names)
    }
    case 'all': {
      const members = { display_value: textOf(field.displayed()), value: stored }
      return field.linkedTo === null
        ? { ...json(writeObject(members)), isFilled: true }
        : writeLinked(members, field, names, writeObject({ ...members, value: textOf(stored) }))
    }
    default:
      return unreachable(display)
  }
}

function readAsText({ column, value, isAlwaysVisible }: TextField, names: Names): JsonPiece {
  if (isAlwaysVisible && column.displayed?.kind === 'constant') return constant(column.displayed.text)
  if (isPlain(column)) return plain(value)
  return columnTypeOf(column).asText(value, column, servedIdsOf(names))
}

function isPlain({ displayed }: Column): boolean {
  if (displayed?.kind === 'constant') return needsNoEscape(displayed.text)
  return displayed?.kind === 'lookup' && !displayed.orKey && [...displayed.texts.values()].every(needsNoEscape)
}

const needsNoEscape = (text: string): boolean => JSON.stringify(text).length === text.length + 2

/** A field that the caller may not see on any row. */
export const emptyText = (): JsonPiece => constant('')

export const servedIdsOf = ({ idPrefix, givenIdColumns, wellKnownIds }: Names): ServedIds => ({
  of: (value, key) => servedId(value, key, idPrefix),
  ofName: (value) => servedName(value, { prefix: idPrefix, wellKnown: wellKnownIds }, givenIdColumns),
})

function textOf(piece: JsonPiece): JsonPiece {
  const { kind, sql: value, text } = piece
  if (text !== undefined) return text === 'null' ? constant('') : piece
  return {
    kind,
    sql: sql`coalesce((${value})::text, '')`,
    isFilled: true,
    ...(kind === 'plain' ? { orNull: value } : {}),
  }
}

type Members = Readonly<Record<string, JsonPiece>>

const membersOf = (members: Members): ConcatParts =>
  Object.entries(members).flatMap(([name, piece], at) => [`${at === 0 ? '{' : ','}"${name}":`, ...jsonParts(piece)])

const writeObject = (members: Members): Expression => concatOf([...membersOf(members), '}'])

/** @param fallback JSON text of an empty reference */
function writeLinked(members: Members, field: TextField, names: Names, fallback: Expression = sql`'""'`): JsonPiece {
  const id = servedIdsOf(names).of(field.value, field.column.key)
  const end = id.kind === 'plain' ? [id.sql, '"}'] : [sql`substr(${jsonText(id)}, 2)`, '}']
  const link = concatOf([...membersOf(members), ',"link":"', linkParam(field.linkedTo ?? '', names), ...end])
  const text = sql`case when ${field.value} is null then ${fallback} else ${link} end`
  return { ...json(text), isFilled: true }
}

/**
 * `{"value":"…","link":"…"}`: the digits of the id are inserted twice into one parameter, which takes fewer calls than putting the
 * text together. Where a few ids have no such digits, whole ids are inserted.
 */
function writeReference({ column: { key }, value, linkedTo }: TextField, names: Names): JsonPiece {
  const address = names.addressOf(linkedTo ?? '')
  const isByDigits = key?.wellKnown === undefined
  const id = isByDigits ? names.idPrefix + PLACE_OF_ID : PLACE_OF_ID
  const inserted = isByDigits ? ownDigits(value) : servedId(value, key, names.idPrefix).sql
  const read = ({ baseUrl }: RequestValues) =>
    succeed([`{"value":"${id}","link":"${escaped(baseUrl + address)}${id}"}`])
  const param = new Param(ofRequest(read, `references:${names.face}:${linkedTo}`), 0)
  const text = sql`coalesce(replace(${param}::text, ${sql.lit(PLACE_OF_ID)}, ${inserted}), '""')`
  return { ...json(text), isFilled: true }
}

/** JSON escapes it, so that no address contains it. */
const PLACE_OF_ID = '\n'

/** The link up to the sys_id. One parameter for all links to a table. */
function linkParam(table: string, names: Names): Expression {
  const address = names.addressOf(table)
  const read = ({ baseUrl }: RequestValues) => succeed([escaped(baseUrl + address)])
  return sql`${new Param(ofRequest(read, `links:${names.face}:${table}`), 0)}::text`
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)
