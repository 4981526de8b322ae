import { type Column, type Language, SYSTEM_COLUMNS } from '../../catalog/catalog.ts'
import { columnTypeOf, comparisonOf, isSecret } from '../../column-types/column-types.ts'
import { type JsonObject, schemaRef } from '../../http/openapi/json-schema.ts'
import { DISPLAY_VALUE, STORED_VALUE } from './column-schemas.ts'

export const isWritten = (column: Column): boolean => !column.readOnly && !SYSTEM_COLUMNS.has(column.name)

/** A column in the body of a create or PUT: its value, what a read returned, or a `find` (docs/spec/records.md, section 8). */
export function bodyColumn(column: Column, language: Language): JsonObject {
  return describeBody(column, language, forms(column, language, 'set'))
}

/** A column in the body of a PATCH: the same, or an instruction. */
export function patchColumn(column: Column, language: Language): JsonObject {
  return describeBody(column, language, forms(column, language, 'patch'))
}

function describeBody(column: Column, language: Language, anyOf: readonly JsonObject[]): JsonObject {
  const notes = [
    column.reference === null ? null : `Refers to ${column.reference}.`,
    columnTypeOf(column).schema.note ?? null,
  ]
  const description = notes.filter((note) => note !== null).join(' ')
  return {
    title: column.titles[language],
    ...(description === '' ? {} : { description }),
    ...(isSecret(column) ? { writeOnly: true } : {}),
    ...(anyOf.length === 1 ? anyOf[0] : { anyOf }),
  }
}

/** `set`: what a column is to contain. `patch`: that or a change of it. */
type Use = 'set' | 'patch'

type ObjectForms = 'Plain' | 'Text' | 'Journal' | 'Number' | 'Boolean'
const VALUES: Readonly<Record<ObjectForms, string>> = {
  Plain: 'TextValue',
  Text: 'TextValue',
  Journal: 'TextValue',
  Number: 'NumberValue',
  Boolean: 'BooleanValue',
}

function forms(column: Column, language: Language, use: Use): readonly JsonObject[] {
  const objects = (type: ObjectForms): JsonObject => schemaRef(use === 'patch' ? `${type}Instruction` : VALUES[type])
  const text = { type: 'string', ...(column.maxLength === null ? {} : { maxLength: column.maxLength }) }
  switch (comparisonOf(column)) {
    case 'whole':
      return [plain(column, { type: ['integer', 'string'] }), objects('Number')]
    case 'decimal':
    case 'float':
      return [plain(column, { type: ['number', 'string'] }), objects('Number')]
    case 'boolean':
      return [plain(column, { type: 'boolean' }), objects('Boolean')]
    case 'list':
      return listForms(column, language, use)
    case 'json':
      return use === 'set' ? [{}] : [schemaRef('JsonInstruction'), { description: 'The new value.' }]
    case 'choice':
      return [plain(column, choiceSchema(column, language)), objects('Plain')]
    case 'journal':
      return [plain(column, text), objects('Journal')]
    case 'text':
      return [plain(column, column.readAsDocument ? { type: ['string', 'object'] } : text), objects('Text')]
    case 'id':
    case 'uuid':
    case 'key':
      if (column.reference === null) return [plain(column, text), objects('Plain')]
      return [
        schemaRef(`${column.reference}.named`),
        ...(use === 'patch' ? [schemaRef('Clear')] : []),
        ...(column.mandatory ? [] : [{ type: 'null' }]),
      ]
    default:
      return [plain(column, text), objects('Plain')]
  }
}

/** A mandatory column cannot be emptied. */
function plain({ mandatory }: Column, schema: JsonObject): JsonObject {
  if (mandatory) return schema
  const types = [schema['type'] ?? []].flat() as readonly string[]
  return { ...schema, type: [...types, 'null'], ...nullInEnum(schema) }
}

function nullInEnum({ enum: values }: JsonObject): JsonObject {
  return Array.isArray(values) ? { enum: [...values, null] } : {}
}

function choiceSchema({ choices }: Column, language: Language): JsonObject {
  if (choices.length === 0) return { type: 'string' }
  return {
    type: 'string',
    enum: [...new Set(choices.map(({ value }) => value))],
    description: choices.map(({ value, titles }) => `\`${value}\` ${titles[language]}`).join(', '),
  }
}

function listForms(column: Column, language: Language, use: Use): readonly JsonObject[] {
  const member = column.reference === null ? choiceSchema(column, language) : schemaRef(`${column.reference}.named`)
  const members = { type: 'array', items: member }
  const plainForms = [plain(column, { ...members, type: ['array', 'string'] }), schemaRef('ListValue')]
  if (use === 'set') return plainForms
  const change = (name: string, does: string): JsonObject => ({ [name]: { ...members, description: does } })
  return [
    ...plainForms,
    schemaRef('Clear'),
    instruction('Replaces all members.', change('set', 'The new members.')),
    {
      ...instruction('Adds and removes members.', {
        ...change('add', 'Members to add.'),
        ...change('remove', 'Members to remove.'),
      }),
      required: [],
      minProperties: 1,
    },
  ]
}

/** An object whose members are all required, and no others allowed. */
function instruction(description: string, properties: JsonObject): JsonObject {
  return { type: 'object', description, required: Object.keys(properties), additionalProperties: false, properties }
}

/** @param value schema of `value` */
export const valueObject = (value: JsonObject): JsonObject => ({
  ...instruction('A field as a read returns it. Only `value` counts.', {
    value: { description: STORED_VALUE, ...value },
    link: { description: 'Ignored.', type: ['string', 'null'] },
    display_value: { description: DISPLAY_VALUE, type: ['string', 'null'] },
  }),
  required: ['value'],
})

export const anyOf = (description: string, ...schemas: readonly JsonObject[]): JsonObject => ({
  description,
  anyOf: schemas,
})
export const oneMember = (description: string, name: string, schema: JsonObject): JsonObject =>
  instruction(description, { [name]: { description, ...schema } })

const clear = schemaRef('Clear')

/** Schemas of bodies that all tables share. */
export const BODY_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  Clear: oneMember('Empties the column.', 'clear', { const: true }),
  TextValue: valueObject({ type: ['string', 'null'] }),
  NumberValue: valueObject({ type: ['number', 'string', 'null'] }),
  BooleanValue: valueObject({ type: ['boolean', 'null'] }),
  ListValue: valueObject({ type: ['array', 'string', 'null'], items: { type: 'string' } }),
  PlainInstruction: anyOf('What a PATCH does with a column.', schemaRef('TextValue'), clear),
  BooleanInstruction: anyOf('What a PATCH does with a boolean.', schemaRef('BooleanValue'), clear),
  TextInstruction: anyOf(
    'What a PATCH does with a text.',
    schemaRef('TextValue'),
    clear,
    oneMember('Adds a text at the end.', 'append', { type: 'string' }),
    oneMember('Adds a text at the beginning.', 'prepend', { type: 'string' }),
  ),
  NumberInstruction: anyOf(
    'What a PATCH does with a number.',
    schemaRef('NumberValue'),
    clear,
    oneMember('Adds to the number; all concurrent increments count.', 'increment', { type: ['number', 'string'] }),
  ),
  JournalInstruction: anyOf(
    'What a PATCH does with a journal.',
    schemaRef('TextValue'),
    oneMember('Adds an entry.', 'message', { type: 'string' }),
  ),
  JsonInstruction: anyOf(
    'What a PATCH does with a JSON column. Any other JSON is the new value.',
    valueObject({}),
    clear,
    oneMember('Merges into the stored JSON (RFC 7396).', 'merge', {}),
  ),
}
