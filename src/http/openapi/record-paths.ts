import { z } from 'zod'
import type { Language } from '../../catalog/catalog.ts'
import { Description, successOf } from '../../contract/envelope.ts'
import { RECORD_PARAMETERS, type RecordOperation } from '../../contract/record-parameters.ts'
import type { VisibleTable } from '../../records/rights/visible-tables.ts'
import { type JsonObject, schemaRef } from './json-schema.ts'
import { bodyOf, recordsOf, recordsSchema, tableSchemas } from './table-schemas.ts'
import { type ApiPart, inPath, inQuery, type OperationNote, operation, sysIdInPath } from './write-openapi.ts'

/** The Table API for any table, its name a parameter of the path. */
export function anyTablePart(): ApiPart {
  const paths = pathsOf({
    name: '{table}',
    tag: 'Records',
    idPrefix: '',
    inPath: [inPath('table', 'System name of a table, such as task.')],
    records: schemaRef('AnyRecords'),
    body: () => schemaRef('AnyBody'),
    rights: { mayCreate: true, mayWrite: true, mayDelete: true },
  })
  return {
    ...shared,
    tags: [{ name: 'Records', description: 'Records of any table. Form of the address: /rest/v1/table/{table}.' }],
    paths,
    tableSchemas: {
      AnyRecord: { type: 'object', description: 'Column names and their values.', additionalProperties: true },
      AnyRecords: recordsSchema('Records', ['AnyRecord']),
      AnyBody: { type: 'object', description: 'Column names and their new values.', additionalProperties: true },
    },
  }
}

/** The Table API once for each table, with its columns. */
export function tablesPart(tables: readonly VisibleTable[], language: Language): ApiPart {
  const ordered = tables.toSorted(workBeforeSystem)
  const paths = ordered.map(({ table: { name }, ...rights }) =>
    pathsOf({
      name,
      tag: name,
      idPrefix: `${name}.`,
      inPath: [],
      records: schemaRef(recordsOf(name)),
      body: (operation) => schemaRef(bodyOf(name, operation)),
      rights,
    }),
  )
  const tags = ordered.map(({ table }) => ({ name: table.name, description: table.titles[language] }))
  return { ...shared, tags, paths: Object.assign({}, ...paths), tableSchemas: tableSchemas(ordered, language) }
}

/** Tables of the desk first, then those of the system, each by name. */
function workBeforeSystem({ table: one }: VisibleTable, { table: other }: VisibleTable): number {
  const isSystem = ({ name }: { readonly name: string }): number => (name.startsWith('sys_') ? 1 : 0)
  return isSystem(one) - isSystem(other) || (one.name < other.name ? -1 : 1)
}

interface TablePaths {
  readonly name: string
  readonly tag: string
  readonly idPrefix: string
  readonly inPath: readonly JsonObject[]
  readonly records: JsonObject
  readonly body: (operation: 'create' | 'put' | 'patch') => JsonObject
  readonly rights: Pick<VisibleTable, 'mayCreate' | 'mayWrite' | 'mayDelete'>
}

function pathsOf(paths: TablePaths): Readonly<Record<string, JsonObject>> {
  const { name, rights } = paths
  const onTable = { get: listOperation(paths), ...(rights.mayCreate ? { post: createOperation(paths) } : {}) }
  const onRecord = {
    get: readOperation(paths),
    ...(rights.mayWrite ? { put: writeOperation('put', paths), patch: writeOperation('patch', paths) } : {}),
    ...(rights.mayDelete ? { delete: deleteOperation(paths) } : {}),
  }
  const root = `/rest/v1/table/${name}`
  return {
    [root]: withParameters(paths.inPath, onTable),
    [`${root}/query`]: withParameters(paths.inPath, { post: queryOperation(paths) }),
    [`${root}/{sys_id}`]: withParameters([...paths.inPath, SYS_ID], onRecord),
  }
}

const withParameters = (parameters: readonly JsonObject[], operations: JsonObject): JsonObject =>
  parameters.length === 0 ? operations : { parameters, ...operations }

const SYS_ID = sysIdInPath()

const listHeaders = [
  'X-Total-Count',
  'X-Total-Count-Over',
  'Link',
  'X-Next-Cursor',
  'X-Limit-Clamped',
  'X-Ignored-Parameters',
]
const readErrors = [400, 401, 403, 404, 406, 414, 422, 500, 503]
const writeErrors = [400, 401, 403, 404, 406, 408, 409, 413, 415, 422, 500, 503]

const listOperation = (paths: TablePaths): JsonObject =>
  operation({
    ...common(paths, 'list', 'Read records'),
    description: 'The records that match and that the caller may read, in the order of the query.',
    parameters: parametersOf('list'),
    answer: paths.records,
    headers: listHeaders,
    errors: readErrors,
  })

const queryOperation = (paths: TablePaths): JsonObject =>
  operation({
    ...common(paths, 'query', 'Read records, with parameters too long for a URL'),
    description: 'The parameters of the list as members of a JSON object; lists may be written as arrays.',
    body: schemaRef('QueryBody'),
    answer: paths.records,
    headers: listHeaders,
    errors: [...readErrors.filter((status) => status !== 414), 408, 413, 415].sort((one, other) => one - other),
  })

const readOperation = (paths: TablePaths): JsonObject =>
  operation({
    ...common(paths, 'read', 'Read one record'),
    description: 'An array with the record. A record that the caller may not read is 404.',
    parameters: parametersOf('read'),
    answer: paths.records,
    headers: ['ETag', 'X-Ignored-Parameters'],
    errors: readErrors,
  })

const createOperation = (paths: TablePaths): JsonObject =>
  operation({
    ...common(paths, 'create', 'Create one record'),
    description: 'Takes values; a reference also {"find":{"user_name":"anna"}}, which must meet exactly one record.',
    parameters: [...parametersOf('create'), { $ref: '#/components/parameters/Idempotency-Key' }],
    body: paths.body('create'),
    answer: paths.records,
    headers: ['ETag', 'X-Ignored-Parameters'],
    errors: writeErrors,
  })

function writeOperation(method: 'put' | 'patch', paths: TablePaths): JsonObject {
  const isPatch = method === 'patch'
  return operation({
    ...common(paths, method, isPatch ? 'Change columns of a record' : 'Write new values of columns'),
    description: isPatch ? aboutPatch : 'Changes the named columns only; takes values, no instructions.',
    parameters: [...parametersOf(method), IF_MATCH],
    body: paths.body(method),
    answer: paths.records,
    headers: ['ETag', 'X-Ignored-Parameters'],
    errors: writeErrors,
  })
}

const aboutPatch =
  'Column names and either values, as for PUT, or instructions: {"clear":true}, {"increment":n}, {"append":"…"}, ' +
  '{"prepend":"…"}, {"add":[…]}, {"remove":[…]}, {"set":[…]}, {"merge":{…}}, {"message":"…"}, {"find":{"user_name":"anna"}}. ' +
  'Instructions that meet each other all count.'

const deleteOperation = (paths: TablePaths): JsonObject =>
  operation({
    ...common(paths, 'delete', 'Delete a record'),
    description:
      'Records that refer to it block the delete, go with it or lose the reference, as on_delete of the column says.',
    parameters: [...parametersOf('delete'), IF_MATCH],
    answer: 'Deleted',
    errors: [400, 401, 403, 404, 406, 409, 422, 500, 503],
  })

const common = (
  { tag, idPrefix }: TablePaths,
  id: string,
  summary: string,
): Pick<OperationNote, 'id' | 'tag' | 'summary'> => ({
  id: `${idPrefix}${id}`,
  tag,
  summary,
})

const IF_MATCH: JsonObject = { $ref: '#/components/parameters/If-Match' }

function parametersOf(asked: RecordOperation): readonly JsonObject[] {
  return Object.entries(RECORD_PARAMETERS)
    .filter(([, { operations }]) => operations.includes(asked))
    .map(([name]) => ({ $ref: `#/components/parameters/${name}` }))
}

const PARAMETERS: JsonObject = {
  ...Object.fromEntries(
    Object.entries(RECORD_PARAMETERS).map(([name, { description, schema }]) => [
      name,
      inQuery(name, description, schema),
    ]),
  ),
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A name of the caller’s own for this create. The same request with the same key is answered by the first answer for 24 hours, ' +
      'and nothing is created again; another request with it is 422.',
    schema: { type: 'string', maxLength: 255 },
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description:
      'ETag of the record that is to be changed. Its version is compared; another version is 409 with the reason `stale`.',
    schema: { type: 'string' },
  },
}

const QueryBody = z
  .object(
    Object.fromEntries(
      Object.entries(RECORD_PARAMETERS)
        .filter(([, { operations }]) => operations.includes('list'))
        .map(([name, { schema, description }]) => [name, schema.optional().meta({ description })]),
    ),
  )
  .meta({ description: 'The parameters of a list.' })

const Deleted = successOf(
  Description.extend({ count: z.int().min(1).meta({ description: 'Number of deleted records.' }) }),
)

const shared = { schemas: { QueryBody, Deleted }, parameters: PARAMETERS }
