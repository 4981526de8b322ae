import type { Catalog, Table } from '../../catalog/catalog.ts'
import type { Names } from '../../catalog/vocabulary.ts'
import { type RecordRequest, recordRequest } from '../parse/record-request.ts'

/**
 * An API may display columns of a class as those of the table above it. A write that names such a column is one to the class: a create if
 * it gives the column a value, a change if the caller may read the record in that class. Otherwise these columns are left out.
 *
 * @param mayRead whether the caller may read the record of a request
 */
export function narrowToClass(
  request: RecordRequest,
  catalog: Catalog,
  mayRead: (request: RecordRequest) => Promise<boolean>,
): RecordRequest | Promise<RecordRequest> {
  const { face, operation, sysId } = request
  const isChange = operation === 'put' || operation === 'patch'
  if (face === null || !(isChange || operation === 'create')) return request
  const names = face.namesIn(catalog)
  const table = names.tableNamed(request.table)
  const below = table === undefined ? undefined : names.classBelow(table)
  if (table === undefined || below === undefined) return request
  const values = [...request.body].filter(([name]) => isColumnOf(below, names, { table, name }))
  const narrowed = { ...request, table: names.nameOf(below.name), narrowedFrom: table.name }
  if (operation === 'create') return values.some(([, value]) => isFilled(value)) ? narrowed : request
  if (values.length === 0) return request
  const read = recordRequest({ operation: 'read', face, table: narrowed.table, sysId, fields: [table.keyColumn] })
  return mayRead(read).then((isOfClass) => (isOfClass ? narrowed : request))
}

interface NamedIn {
  readonly table: Table
  readonly name: string
}

const isColumnOf = (below: Table, names: Names, { table, name }: NamedIn): boolean =>
  names.columnNamed(table, name)?.stored.column.ownerTable === below.name

/** A value as a read gives it may be an object. */
function isFilled(value: unknown): boolean {
  const isObject = typeof value === 'object' && value !== null && 'value' in value
  const given = isObject ? value.value : value
  return given !== null && given !== ''
}
