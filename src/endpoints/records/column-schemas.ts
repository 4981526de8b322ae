import { type Column, isRecordClass, type Language } from '../../catalog/catalog.ts'
import { columnTypeOf, refersToOne } from '../../column-types/column-types.ts'
import { type JsonObject, schemaRef } from '../../http/openapi/json-schema.ts'

export const isLink = (column: Column): boolean => refersToOne(column) && !isRecordClass(column)

/** A column in a response with sysparm_display_value=0: docs/spec/records.md, section 4. */
export function storedColumn(column: Column, language: Language): JsonObject {
  const described = {
    title: column.titles[language],
    ...columnNote(column, language),
    ...knownChoices(column, language),
  }
  if (isLink(column)) return { ...described, anyOf: [...linkSchemas(column, idSchema(column)), ...nullable(column)] }
  return { ...described, ...withNull(columnTypeOf(column).schema.stored(column), column) }
}

/** The same with sysparm_display_value=1. */
export function displayedColumn(column: Column): JsonObject {
  if (columnTypeOf(column).display.isStored === true)
    return withNull(columnTypeOf(column).schema.stored(column), column)
  if (isLink(column)) return { anyOf: linkSchemas(column, { type: ['string', 'null'] }) }
  return { type: ['string', 'null'] }
}

/** The same with sysparm_display_value=all. */
export function columnInBoth(column: Column): JsonObject {
  if (!isLink(column)) return schemaRef(nameInBoth(column))
  return schemaRef(column.reference === null ? 'BothOfText' : `${column.reference}.both`)
}

const linkSchemas = (column: Column, plain: JsonObject): readonly JsonObject[] => [
  schemaRef(column.reference === null ? 'Reference' : `${column.reference}.reference`),
  plain,
]

/** The sys_id that a column contains. */
export function idSchema({ reference }: Column): JsonObject {
  return reference === null ? { type: 'string' } : schemaRef(`${reference}.sys_id`)
}

/** A value outside of the choices can be stored, so the schema lists the choices without restricting the value to them. */
function knownChoices({ choices }: Column, language: Language): JsonObject {
  if (choices.length === 0) return {}
  return {
    'x-enum': choices.map(({ value }) => value),
    'x-enum-descriptions': choices.map(({ titles }) => titles[language]),
  }
}

const nullable = (column: Column): readonly JsonObject[] => (column.neverNull ? [] : [{ type: 'null' }])

interface Typed {
  /** Absent: any JSON value. */
  readonly type?: string
  readonly [key: string]: JsonObject[string]
}

function withNull({ type, ...rest }: Typed, column: Column): JsonObject {
  if (type === undefined) return rest
  return { type: column.neverNull ? type : [type, 'null'], ...rest }
}

/** Shared schemas of sysparm_display_value=all, by the JSON type of the stored value. */
const IN_BOTH = {
  BothOfText: { type: ['string', 'null'] },
  BothOfInteger: { type: ['integer', 'null'] },
  BothOfNumber: { type: ['number', 'null'] },
  BothOfBoolean: { type: ['boolean', 'null'] },
  BothOfList: { type: ['array', 'null'], items: { type: 'string' } },
  BothOfJson: {},
} as const satisfies Readonly<Record<string, JsonObject>>

const BY_TYPE: Readonly<Record<string, keyof typeof IN_BOTH>> = {
  integer: 'BothOfInteger',
  number: 'BothOfNumber',
  boolean: 'BothOfBoolean',
  array: 'BothOfList',
}

function nameInBoth(column: Column): keyof typeof IN_BOTH {
  const { type } = columnTypeOf(column).schema.stored(column)
  return type === undefined ? 'BothOfJson' : (BY_TYPE[type] ?? 'BothOfText')
}

export const STORED_VALUE = 'The stored value.'
export const DISPLAY_VALUE = 'The value as people read it, in the language and time zone of the caller.'

/** @param value schema of the stored value */
export function inBoth(description: string, value: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    description,
    required: ['value', 'display_value'],
    properties: {
      value: { description: STORED_VALUE, ...value },
      display_value: { description: DISPLAY_VALUE, type: ['string', 'null'] },
      ...more,
    },
  }
}

export const BOTH_SCHEMAS: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  Object.entries(IN_BOTH).map(([name, value]) => [
    name,
    inBoth('A field with sysparm_display_value=all: stored value and display value.', value),
  ]),
)

/** Properties that the type does not express. */
function columnNote(column: Column, language: Language): JsonObject {
  const notes = [
    column.reference === null ? null : `Refers to ${column.reference}.`,
    column.mandatory ? 'Mandatory.' : null,
    column.unique ? 'Unique.' : null,
    columnTypeOf(column).schema.note ?? null,
    column.choices.length === 0
      ? null
      : `Choices: ${column.choices.map(({ value, titles }) => `\`${value}\` ${titles[language]}`).join(', ')}.`,
  ].filter((note) => note !== null)
  return notes.length === 0 ? {} : { description: notes.join(' ') }
}
