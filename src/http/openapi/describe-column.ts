import type { Column, ColumnType, Language } from '../../catalog/catalog.ts'
import { isExactNumber, isRecordClass, SYSTEM_COLUMNS } from '../../catalog/catalog.ts'
import { type JsonObject, schemaRef } from './json-schema.ts'

/** Types that no answer ever holds. */
const secret: ReadonlySet<ColumnType> = new Set(['password', 'encrypted'])

export const isRead = (column: Column): boolean => !secret.has(column.type)
export const isWritten = (column: Column): boolean => !column.readOnly && !SYSTEM_COLUMNS.has(column.name)

/** A column as it stands in an answer with stored values (sysparm_display_value=0): record spec, section 4. */
export function describeReadColumn(column: Column, language: Language): JsonObject {
  const described = { title: column.titles[language], ...noteOn(column, language) }
  if (column.type === 'reference' && !isRecordClass(column)) {
    return { ...described, anyOf: [schemaRef('Reference'), { type: 'string' }, ...nullable(column)] }
  }
  const { type, ...rest } = readType(column)
  if (type === undefined) return { ...described, ...rest }
  return { ...described, type: column.neverNull ? type : [type, 'null'], ...rest }
}

/** A column as it may stand in the body of create and PUT. */
export function describeWrittenColumn(column: Column, language: Language): JsonObject {
  const described = {
    title: column.titles[language],
    ...noteOn(column, language),
    ...(secret.has(column.type) ? { writeOnly: true } : {}),
  }
  if (column.choices.length > 0 && column.type === 'choice') {
    const choices = column.choices.map(({ value, titles }) => ({ const: value, title: titles[language] }))
    return { ...described, oneOf: [...choices, { type: 'null' }] }
  }
  return { ...described, ...writtenType(column) }
}

const nullable = (column: Column): readonly JsonObject[] => (column.neverNull ? [] : [{ type: 'null' }])

interface Typed {
  /** Absent: any JSON value. */
  readonly type?: string
  readonly [key: string]: JsonObject[string]
}

const time = '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$'

function readType(column: Column): Typed {
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
      return { type: 'string', pattern: time }
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
      return column.readAsDocument ? {} : { type: 'string' }
    default:
      return { type: 'string' }
  }
}

function writtenType(column: Column): JsonObject {
  const text = { type: ['string', 'null'], ...(column.maxLength === null ? {} : { maxLength: column.maxLength }) }
  switch (column.type) {
    case 'integer':
    case 'smallinteger':
    case 'percent_complete':
    case 'days_of_week':
      return { type: ['integer', 'string', 'null'] }
    case 'float':
    case 'decimal':
      return { type: ['number', 'string', 'null'] }
    case 'biginteger':
    case 'duration':
      return { type: ['string', 'integer', 'null'] }
    case 'boolean':
      return { type: ['boolean', 'null'] }
    case 'list':
      return { type: ['array', 'string', 'null'], items: { type: 'string' } }
    case 'json':
      return {}
    default:
      return text
  }
}

/** What the type does not say, in a few words. */
function noteOn(column: Column, language: Language): { readonly description?: string } {
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

const TYPE_NOTES: { readonly [type in ColumnType]?: string } = {
  duration: 'Milliseconds.',
  list: 'Members in their order; of a list of references, sys_ids joined by commas. Written as an array or joined by commas.',
  days_of_week: 'Bits: Monday 1, Tuesday 2, … Sunday 64.',
  datetime: 'UTC, `YYYY-MM-DD HH:MM:SS`.',
  time: '`HH:MM:SS`.',
  journal_input: 'What is written becomes an entry of sys_journal_entry; reads as null.',
  password: 'Never returned.',
  encrypted: 'Never returned.',
  html: 'Sanitised when it is written.',
  wysiwyg: 'Sanitised when it is written.',
  document_id: 'Table and record in one.',
}
