import type { Column, Language, Table } from '../../catalog/catalog.ts'
import { type JsonObject, schemaRef } from '../../http/openapi/json-schema.ts'
import { isRequiredOnCreate } from '../../records/plan/plan-create.ts'
import type { VisibleTable } from '../../records/rights/visible-tables.ts'
import { BODY_SCHEMAS, bodyColumn, isWritten, patchColumn } from './body-schemas.ts'
import { BOTH_SCHEMAS, columnInBoth, displayedColumn, storedColumn } from './column-schemas.ts'
import { type Target, targetSchemas, UNTARGETED_SCHEMAS } from './target-schemas.ts'

/**
 * Schemas of the records of each table: `task` with stored values, `task.display` and `task.all` by sysparm_display_value,
 * `task.records` for a response in any mode, and the bodies `task.create`, `task.put` and `task.patch`.
 */
export function tableSchemas(
  tables: readonly VisibleTable[],
  language: Language,
): Readonly<Record<string, JsonObject>> {
  return Object.assign(
    { ...UNTARGETED_SCHEMAS, ...BOTH_SCHEMAS, ...BODY_SCHEMAS },
    ...targetsOf(tables).map(targetSchemas),
    ...tables.map((table) => schemasOf(table, language)),
  )
}

/** Names of schemas of a table. */
export const recordsOf = (table: string): string => `${table}.records`
export const bodyOf = (table: string, operation: 'create' | 'put' | 'patch'): string => `${table}.${operation}`

function schemasOf(
  { table, columns, mayCreate, mayWrite }: VisibleTable,
  language: Language,
): Readonly<Record<string, JsonObject>> {
  const { name } = table
  const title = table.titles[language]
  const read = columns('read')
  const created = columns('create').filter(isWritten)
  const changed = columns('write').filter(isWritten)
  const shape = (description: string, of: readonly Column[], describe: (column: Column) => JsonObject): JsonObject => ({
    title,
    description,
    type: 'object',
    properties: Object.fromEntries(of.map((column) => [column.name, describe(column)])),
  })
  const stored = shape('A record with stored values.', read, (column) => storedColumn(column, language))
  return {
    [name]: stored,
    [`${name}.display`]: shape('The record with display values (sysparm_display_value=1).', read, displayedColumn),
    [`${name}.all`]: shape(
      'The record with both values of each field (sysparm_display_value=all).',
      read,
      columnInBoth,
    ),
    [recordsOf(name)]: recordsSchema(title, [name, `${name}.display`, `${name}.all`]),
    ...(mayCreate && {
      [bodyOf(name, 'create')]: {
        ...shape('A new record.', created, (column) => bodyColumn(column, language)),
        ...requiredOf(created, table),
      },
    }),
    ...(mayWrite && {
      [bodyOf(name, 'put')]: shape('New values.', changed, (column) => bodyColumn(column, language)),
      [bodyOf(name, 'patch')]: shape('New values or instructions.', changed, (column) => patchColumn(column, language)),
    }),
  }
}

function requiredOf(written: readonly Column[], table: Table): JsonObject {
  const names = written.filter((column) => isRequiredOnCreate(column, table)).map(({ name }) => name)
  return names.length === 0 ? {} : { required: names }
}

/** @param names schemas of a record, one for each mode of the response */
export function recordsSchema(title: string, names: readonly string[]): JsonObject {
  const forms = names.map((name) => ({ type: 'array', items: schemaRef(name) }))
  return {
    title,
    description:
      'Records with the values that sysparm_display_value selects. Fields behind references have the names in sysparm_fields.',
    type: 'object',
    required: ['status', 'data'],
    properties: {
      status: { const: 'OK', description: 'The request succeeded.' },
      data: {
        description: 'The records.',
        ...(forms.length === 1 ? forms[0] : { anyOf: forms }),
      },
    },
  }
}

const columnsOf = ({ columns, mayCreate, mayWrite }: VisibleTable): readonly Column[] => [
  ...columns('read'),
  ...(mayCreate ? columns('create') : []),
  ...(mayWrite ? columns('write') : []),
]

/** Every table that a column refers to, whether or not the caller may read it: the description of the column contains its name. */
function targetsOf(tables: readonly VisibleTable[]): readonly Target[] {
  const visible = new Map(tables.map((each) => [each.table.name, each]))
  const keys = new Map(
    tables.flatMap((each) =>
      columnsOf(each).flatMap(({ reference, key }) => (reference === null ? [] : [[reference, key] as const])),
    ),
  )
  return [...keys].map(([name, key]) => ({ name, key, columns: visible.get(name)?.columns('read') ?? [] }))
}
