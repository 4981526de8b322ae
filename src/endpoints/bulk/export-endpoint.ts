import { z } from 'zod'
import { grantOnColumn, isNever } from '../../acl/descendants-grant.ts'
import { type CellForms, type ExportedRows, type ExportOptions, exportRows } from '../../bulk/export-rows.ts'
import type { Table } from '../../catalog/catalog.ts'
import { classIdsOf } from '../../catalog/class-ids.ts'
import { tableNamed } from '../../catalog/table-named.ts'
import { comparisonOf, isJournal, isSecret } from '../../column-types/column-types.ts'
import { type ComparisonType, isNumber } from '../../column-types/comparison-types.ts'
import { parseEncodedQuery } from '../../condition/parse-encoded-query.ts'
import { declare, type EndpointResponse, type Reply } from '../../http/endpoint/declare.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import { names } from '../../http/endpoint/read-input.ts'
import { headerRefs } from '../../http/openapi/write-openapi.ts'
import { beginStream } from '../../http/response/stream-response.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import { RecordService } from '../../records/record-service.ts'
import type { Observe } from '../../telemetry/observation.ts'
import { TABLE_PATH } from '../record-path.ts'
import { serviceCaller } from '../service-caller.ts'
import { flag, raw } from './bulk-input.ts'

interface ExportDeps {
  readonly records: RecordDeps
  readonly observe: Observe
}

const FORMATS = ['csv', 'ndjson'] as const
const text = { schema: { type: 'string' } }

const input = {
  format: z.enum(FORMATS).default('csv').meta({ description: 'Form of the file.' }),
  sysparm_query: z.string().optional().meta({ description: 'Encoded query: which records, in which order.' }),
  sysparm_fields: names('Fields, with commas; default: all columns that the caller may read.'),
  sysparm_display_value: flag('1: display values.'),
  journals: flag(
    '1: each journal column has its entries, with sys_id, author and time, as an import with migrate=1 reads them.',
  ),
  raw,
}

const path = '/rest/v1/export/{table}'

/** Records of a table as a file, streamed. */
const ofBoth = {
  tag: 'Bulk',
  input,
  otherNames: 'ignored',
  inPath: TABLE_PATH,
  output: null,
  responses: {
    200: {
      description: 'The file, as it is read.',
      headers: headerRefs('X-History-Removed-Before', 'X-Ignored-Parameters'),
      content: { 'text/csv': text, 'application/x-ndjson': text },
    },
  },
  errors: [403, 404, 422],
  isGated: false,
  handle: (deps: ExportDeps, given: ExportInput, request: EndpointRequest) => sendExport(deps, given, request),
} as const

const byUrl = declare({
  ...ofBoth,
  id: 'export',
  path,
  methods: ['GET'],
  hasNoHead: true,
  summary: 'Export records as CSV or NDJSON',
  description: 'All records that match and that the caller may read.',
  receives: 'nothing',
})

const byBody = declare({
  ...ofBoth,
  id: 'export.query',
  path: `${path}/query`,
  methods: ['POST'],
  summary: 'Export records, with parameters too long for a URL',
  description: 'The same, with the parameters as members of a JSON object.',
})

export const exportEndpoints = [byUrl, byBody]

type ExportInput = z.output<z.ZodObject<typeof input>>

/** @param attempts how often columns that changed meanwhile are listed again, if the caller named none */
async function sendExport(
  deps: ExportDeps,
  given: ExportInput,
  request: EndpointRequest,
  attempts = 5,
): Promise<Result<EndpointResponse, Problem>> {
  const { records, observe } = deps
  const { table = '' } = request.path
  const { format, sysparm_fields: listed, sysparm_display_value: display, raw: isRaw } = given
  const dictionary = tableNamed(table, await records.catalog.upToDate())
  const fields = listed.length === 0 ? await readableColumns(records, request.principal, table) : listed
  const query = parseEncodedQuery(given.sysparm_query ?? '')
  if (!query.ok) return query
  const service = new RecordService(records, serviceCaller(request, request.gate.runPatiently))
  const journals = given.journals ? await journalsOf(records, request.principal, { table, fields }) : null
  const cells = cellFormsOf(fields, dictionary, { display, isRaw })
  const rows = await exportRows({ table, query: query.value, fields, display, format, cells, journals }, service)
  if (!rows.ok) {
    const isOutdated =
      listed.length === 0 && `${await readableColumns(records, request.principal, table)}` !== `${fields}`
    return isOutdated && attempts > 1 ? sendExport(deps, given, request, attempts - 1) : rows
  }
  const onError = (error: unknown): void =>
    observe({ kind: 'request-failed', requestId: request.id, route: '/rest/v1/export/:table', error })
  return succeed({ send: (reply) => sendFile(reply, { table, format, rows: rows.value, onError }) })
}

const MEDIA_TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
} as const

interface ExportFile {
  readonly table: string
  readonly format: (typeof FORMATS)[number]
  readonly rows: ExportedRows
  readonly onError: (error: unknown) => void
}

async function sendFile(reply: Reply, { table, format, rows, onError }: ExportFile): Promise<Result<void, Problem>> {
  const stream = beginStream(reply, {
    'content-type': MEDIA_TYPES[format],
    'content-disposition': `attachment; filename="${table}.${format}"`,
    ...(rows.removedBefore === null ? {} : { 'x-history-removed-before': rows.removedBefore }),
  })
  try {
    for await (const piece of rows.text) if (!(await stream.write(piece))) return succeed(undefined)
    stream.end()
  } catch (error) {
    stream.breakOff()
    onError(error)
  }
  return succeed(undefined)
}

/**
 * The columns are listed before the rows, because all rows of a file have the same ones: those that the caller may read on some
 * record. Journal entries are separate records. Secrets are never readable, and an empty cell would delete them on import.
 */
async function readableColumns(deps: RecordDeps, principal: Principal, name: string): Promise<readonly string[]> {
  const catalog = await deps.catalog.upToDate()
  const table = tableNamed(name, catalog)
  if (table === undefined) return []
  const access = deps.accessFor(catalog, principal)
  return [...table.columns.values()]
    .filter((column) => !isJournal(column) && !isSecret(column))
    .filter((column) => !isNever(grantOnColumn(access, catalog, table, column.name, 'read')))
    .map((column) => column.name)
}

/** Journal columns that the caller may read; they need the key column in the same row. */
async function journalsOf(
  deps: RecordDeps,
  principal: Principal,
  { table: name, fields }: { readonly table: string; readonly fields: readonly string[] },
): Promise<ExportOptions['journals']> {
  const catalog = await deps.catalog.upToDate()
  const table = tableNamed(name, catalog)
  if (table === undefined || !fields.includes(table.keyColumn)) return null
  const access = deps.accessFor(catalog, principal)
  const columns = [...table.columns.values()]
    .filter(isJournal)
    .filter((column) => !isNever(grantOnColumn(access, catalog, table, column.name, 'read')))
    .map((column) => column.name)
  const classIds = classIdsOf(table, catalog)
  return { table, columns, classIds }
}

/** A minus sign before digits is not a formula, so columns of numbers stay unescaped. */
function cellFormsOf(
  fields: readonly string[],
  table: Table | undefined,
  { display, isRaw }: { readonly display: boolean; readonly isRaw: boolean },
): CellForms {
  const comparisonOfField = (name: string): ComparisonType => {
    const column = table?.columns.get(name)
    return column === undefined || display ? 'text' : comparisonOf(column)
  }
  return {
    json: new Set(fields.filter((name) => comparisonOfField(name) === 'json')),
    guarded: new Set(isRaw ? [] : fields.filter((name) => !isNumber(comparisonOfField(name)))),
  }
}
