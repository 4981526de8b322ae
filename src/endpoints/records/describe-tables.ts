import type { Language } from '../../catalog/catalog.ts'
import type { Endpoint } from '../../http/endpoint/declare.ts'
import { describeEndpoints } from '../../http/openapi/describe-endpoints.ts'
import { schemaRef } from '../../http/openapi/json-schema.ts'
import type { ApiPart } from '../../http/openapi/write-openapi.ts'
import type { VisibleTable } from '../../records/rights/visible-tables.ts'
import { SYS_ID_PATH } from '../record-path.ts'
import { type RecordDeps, recordEndpoints } from './record-endpoints.ts'
import { QueryBody, SHARED_PARAMETERS } from './record-parameters.ts'
import { bodyOf, recordsOf, recordsSchema, tableSchemas } from './table-schemas.ts'

const shared = { schemas: { QueryBody }, parameters: SHARED_PARAMETERS }

/** The Table API for any table, with the table name as a path parameter. */
export function anyTablePart(): ApiPart {
  return describeEndpoints({
    ...shared,
    tags: [{ name: 'Records', description: 'Records of any table. Form of the address: /rest/v1/table/{table}.' }],
    endpoints: recordEndpoints,
    tableSchemas: {
      AnyRecord: { type: 'object', description: 'Column names and their values.', additionalProperties: true },
      AnyRecords: recordsSchema('Records', ['AnyRecord']),
      AnyBody: { type: 'object', description: 'Column names and their new values.', additionalProperties: true },
    },
  })
}

/** The Table API once for each table, with its columns. */
export function tablesPart(tables: readonly VisibleTable[], language: Language): ApiPart {
  const ordered = tables.toSorted(workBeforeSystem)
  return describeEndpoints({
    ...shared,
    tags: ordered.map(({ table }) => ({ name: table.name, description: table.titles[language] })),
    endpoints: ordered.flatMap((table) =>
      recordEndpoints.filter(({ id }) => isAllowed(id, table)).map((endpoint) => ofTable(endpoint, table)),
    ),
    tableSchemas: tableSchemas(ordered, language),
  })
}

/** Tables of the desk first, then those of the system, each sorted by name. */
function workBeforeSystem({ table: one }: VisibleTable, { table: other }: VisibleTable): number {
  const isSystem = ({ name }: { readonly name: string }): number => (name.startsWith('sys_') ? 1 : 0)
  return isSystem(one) - isSystem(other) || (one.name < other.name ? -1 : 1)
}

/** Whether the caller may use the operation on some record of the table. */
function isAllowed(id: string, { mayCreate, mayWrite, mayDelete }: VisibleTable): boolean {
  const rights: Readonly<Record<string, boolean>> = {
    create: mayCreate,
    put: mayWrite,
    patch: mayWrite,
    delete: mayDelete,
  }
  return rights[id] ?? true
}

/** The operation on one table: its address, its body and its response. */
function ofTable(endpoint: Endpoint<RecordDeps>, { table: { name } }: VisibleTable): Endpoint<never> {
  const { id, path, output, inPath = {} } = endpoint
  const isTables = output !== null && 'name' in output
  const hasBody = id === 'create' || id === 'put' || id === 'patch'
  return {
    ...endpoint,
    id: `${name}.${id}`,
    tag: name,
    path: path.replace('{table}', name),
    inPath: 'sys_id' in inPath ? SYS_ID_PATH : {},
    output: isTables ? { name: recordsOf(name) } : output,
    ...(hasBody
      ? { requestBody: { required: true, content: { 'application/json': { schema: schemaRef(bodyOf(name, id)) } } } }
      : {}),
  }
}
