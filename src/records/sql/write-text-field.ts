import { sql } from 'kysely'
import type { Column } from '../../catalog/catalog.ts'
import type { Names } from '../../catalog/vocabulary.ts'
import type { ServedIds } from '../../column-types/column-type.ts'
import { columnTypeOf } from '../../column-types/column-types.ts'
import { type JsonPiece, json, jsonText, plain } from '../../column-types/json-piece.ts'
import { servedId, servedName } from '../../column-types/served-id.ts'
import { succeed } from '../../kernel/result.ts'
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
}

export function writeTextField(field: TextField, display: Display, names: Names): JsonPiece {
  const ids = servedIdsOf(names)
  const read = columnTypeOf(field.column).asText(field.value, field.column, ids)
  // A link is written where the value is not null.
  const stored: JsonPiece = field.linkedTo === null ? textOf(read) : { ...read, isFilled: true }
  switch (display) {
    case 'value':
      return field.linkedTo === null ? stored : writeLinked({ value: stored }, field, names)
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

/** A field that the caller may not see on any row. */
export const emptyText = (): JsonPiece => plain(sql`''`)

export const servedIdsOf = ({ idPrefix, givenIdColumns }: Names): ServedIds => ({
  of: (value, key) => servedId(value, key, idPrefix),
  ofName: (value) => servedName(value, idPrefix, givenIdColumns),
})

const textOf = ({ kind, sql: value }: JsonPiece): JsonPiece => ({
  kind,
  sql: sql`coalesce((${value})::text, '')`,
  isFilled: true,
})

type Members = Readonly<Record<string, JsonPiece>>

const writeObject = (members: Members, more: Expression = sql`'}'`): Expression => {
  const parts = Object.entries(members).map(
    ([name, piece], at) => sql`${sql.lit(`${at === 0 ? '{' : ','}"${name}":`)} || ${jsonText(piece)}`,
  )
  return sql`${sql.join(parts, sql` || `)} || ${more}`
}

/** @param fallback JSON text of an empty reference */
function writeLinked(members: Members, field: TextField, names: Names, fallback: Expression = sql`'""'`): JsonPiece {
  const id = servedIdsOf(names).of(field.value, field.column.key)
  const end = id.kind === 'plain' ? sql`${id.sql} || '"}'` : sql`substr(${jsonText(id)}, 2) || '}'`
  const link = sql`',"link":"' || ${linkParam(field.linkedTo ?? '', names)}::text || ${end}`
  const text = sql`case when ${field.value} is null then ${fallback} else ${writeObject(members, link)} end`
  return { ...json(text), isFilled: true }
}

/** The link up to the sys_id, escaped for JSON. One parameter for all links to a table. */
function linkParam(table: string, names: Names): Param {
  const address = names.addressOf(table)
  const read = ({ baseUrl }: RequestValues) => succeed([JSON.stringify(baseUrl + address).slice(1, -1)])
  return new Param(ofRequest(read, `links:${names.face}:${table}`), 0)
}
