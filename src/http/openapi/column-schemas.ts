import { type Column, type ColumnType, isExactNumber, isRecordClass, type Language } from '../../catalog/catalog.ts'
import { type JsonObject, schemaRef } from './json-schema.ts'

/** Types that no response contains. */
const SECRET: ReadonlySet<ColumnType> = new Set(['password', 'encrypted'])

export const isSecret = ({ type }: Column): boolean => SECRET.has(type)
export const isLink = (column: Column): boolean => column.type === 'reference' && !isRecordClass(column)

/** A column in a response with sysparm_display_value=0: record spec, section 4. */
export function storedColumn(column: Column, language: Language): JsonObject {
  const described = { title: column.titles[language], ...noteOn(column, language), ...knownChoices(column, language) }
  if (isLink(column)) return { ...described, anyOf: [...linkSchemas(column, idSchema(column)), ...nullable(column)] }
  return { ...described, ...withNull(storedType(column), column) }
}

/** The same with sysparm_display_value=1. */
export function displayedColumn(column: Column): JsonObject {
  if (column.type === 'boolean') return withNull({ type: 'boolean' }, column)
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

/** A value outside of the choices can be stored, so a response names them without a promise. */
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

const TIME = '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$'

function storedType(column: Column): Typed {
  switch (column.type) {
    case 'integer':
    case 'smallinteger':
    case 'percent_complete':
    case 'days_of_week':
      return { type: 'integer' }
    case 'float':
      return { type: 'number' }
    case 'decimal':
      return isExactNumber(column)
        ? { type: 'string', pattern: '^(-?\\d+(\\.\\d+)?|NaN|-?Infinity)$' }
        : { type: 'string', pattern: '^-?\\d+\\.\\d{2}$' }
    case 'sys_id':
      return column.key?.kind === 'whole' ? { type: 'string', pattern: '^-?\\d+$' } : { type: 'string' }
    case 'biginteger':
    case 'duration':
      return { type: 'string', pattern: '^-?\\d+$' }
    case 'boolean':
      return { type: 'boolean' }
    case 'datetime':
      return { type: 'string', pattern: TIME }
    case 'date':
      return { type: 'string', format: 'date' }
    case 'time':
      return { type: 'string', pattern: '^\\d\\d:\\d\\d:\\d\\d$' }
    case 'list':
      return column.reference === null ? { type: 'array', items: { type: 'string' } } : { type: 'string' }
    case 'document_id':
      return { type: 'string', format: 'uuid' }
    case 'json':
      return {}
    case 'wysiwyg':
    case 'text':
      return column.readAsDocument ? {} : { type: 'string' }
    default:
      return { type: 'string' }
  }
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
  const { type } = storedType(column)
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

/** What the type does not say. */
function noteOn(column: Column, language: Language): JsonObject {
  const notes = [
    column.reference === null ? null : `Refers to ${column.reference}.`,
    column.mandatory ? 'Mandatory.' : null,
    column.unique ? 'Unique.' : null,
    TYPE_NOTES[column.type] ?? null,
    column.choices.length === 0
      ? null
      : `Choices: ${column.choices.map(({ value, titles }) => `\`${value}\` ${titles[language]}`).join(', ')}.`,
  ].filter((note) => note !== null)
  return notes.length === 0 ? {} : { description: notes.join(' ') }
}

export const TYPE_NOTES: { readonly [type in ColumnType]?: string } = {
  duration: 'Milliseconds.',
  list: 'Members in their order. A list of references is read as sys_ids joined by commas. Written as an array or joined by commas.',
  days_of_week: 'Bits: Monday 1, Tuesday 2, … Sunday 64.',
  datetime: 'UTC, `YYYY-MM-DD HH:MM:SS`.',
  time: '`HH:MM:SS`.',
  journal_input: 'A written text becomes an entry of sys_journal_entry; the column reads as null.',
  password: 'Never returned.',
  encrypted: 'Never returned.',
  html: 'Sanitised when it is written.',
  wysiwyg: 'Sanitised when it is written.',
  document_id: 'Table and record in one.',
}
