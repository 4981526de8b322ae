import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { grantOnColumn, isNever } from '../../acl/family-grant.ts'
import { type CellForms, type ExportOptions, exportRows } from '../../bulk/export-rows.ts'
import type { Table } from '../../catalog/catalog.ts'
import { tableNamed } from '../../catalog/table-named.ts'
import { comparisonOf, isJournal, isSecret } from '../../column-types/column-types.ts'
import { type ComparisonType, isNumber } from '../../column-types/comparison-types.ts'
import { parseEncodedQuery } from '../../condition/parse-encoded-query.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import type { RecordRoom } from '../../records/record-room.ts'
import { RecordService } from '../../records/record-service.ts'
import { sendProblem } from '../answer/send-answer.ts'
import { sendFailure } from '../answer/send-failure.ts'
import { beginStream } from '../answer/stream-answer.ts'
import type { HttpParts } from '../http-parts.ts'
import { callerOf } from '../request/caller.ts'
import { readQueryString } from '../request/query-string.ts'
import { queryOf } from '../request/request-target.ts'
import { serviceCaller } from '../request/service-caller.ts'
import type { StatementGate } from '../request/statement-gate.ts'
import { isFlag, listOf } from './import-parameters.ts'

interface ExportParts {
  readonly room: RecordRoom
  readonly gate: StatementGate
}

/** Records of a table as a file, streamed. */
export function addExportRoute(app: FastifyInstance, parts: HttpParts, bulk: ExportParts): void {
  app.route({
    method: 'GET',
    url: '/rest/v1/export/:table',
    handler: (request, reply) => {
      exportText(parts, bulk, request, reply).then(
        (sent) => (sent.ok ? undefined : sendProblem(reply, sent.error)),
        (error: unknown) => sendFailure(parts.observe, reply, error),
      )
    },
  })
}

async function exportText(
  parts: HttpParts,
  bulk: ExportParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Result<void, Problem>> {
  const parameters = readQueryString(queryOf(request.raw.url ?? ''))
  if (!parameters.ok) return parameters
  const format = parameters.value.get('format') || 'csv'
  if (format !== 'csv' && format !== 'ndjson')
    return refuse({ kind: 'bad-parameter', parameter: 'format', found: format, expected: 'csv or ndjson' })
  const { table } = request.params as { readonly table: string }
  const records = new RecordService(bulk.room, serviceCaller(parts, request, bulk.gate.runPatiently))
  const dictionary = tableNamed(table, await bulk.room.catalog.upToDate())
  const listed = listOf(parameters.value.get('sysparm_fields'))
  const fields = listed.length === 0 ? await readableColumns(bulk.room, request, table) : listed
  const display = isFlag(parameters.value.get('sysparm_display_value'))
  const isRaw = isFlag(parameters.value.get('raw'))
  const cells = cellFormsOf(fields, dictionary, { display, isRaw })
  const query = parseEncodedQuery(parameters.value.get('sysparm_query') ?? '')
  if (!query.ok) return query
  const journals = isFlag(parameters.value.get('journals'))
    ? await journalsOf(bulk.room, request, { table, fields })
    : null
  const rows = await exportRows({ table, query: query.value, fields, display, format, cells, journals }, records)
  if (!rows.ok) return rows
  const type = format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson; charset=utf-8'
  const stream = beginStream(reply, {
    'content-type': type,
    'content-disposition': `attachment; filename="${table}.${format}"`,
  })
  try {
    for await (const piece of rows.value) if (!(await stream.write(piece))) return succeed(undefined)
    stream.end()
  } catch (error) {
    stream.breakOff()
    parts.observe({ kind: 'request-failed', requestId: request.id, route: '/rest/v1/export/:table', error })
  }
  return succeed(undefined)
}

/**
 * A file has the same columns in each row, so they are named beforehand: those that the caller may read on some record. Entries of
 * journals are records of their own; nobody reads secrets, and an empty cell would remove them.
 */
async function readableColumns(room: RecordRoom, request: FastifyRequest, name: string): Promise<readonly string[]> {
  const catalog = await room.catalog.upToDate()
  const table = tableNamed(name, catalog)
  if (table === undefined) return []
  const access = room.accessFor(catalog, callerOf(request).principal)
  return [...table.columns.values()]
    .filter((column) => !isJournal(column) && !isSecret(column))
    .filter((column) => !isNever(grantOnColumn(access, catalog, table, column.name, 'read')))
    .map((column) => column.name)
}

/** Journal columns that the caller may read; they need the key beside them. */
async function journalsOf(
  room: RecordRoom,
  request: FastifyRequest,
  { table: name, fields }: { readonly table: string; readonly fields: readonly string[] },
): Promise<ExportOptions['journals']> {
  const catalog = await room.catalog.upToDate()
  const table = tableNamed(name, catalog)
  if (table === undefined || !fields.includes(table.keyColumn)) return null
  const access = room.accessFor(catalog, callerOf(request).principal)
  const columns = [...table.columns.values()]
    .filter(isJournal)
    .filter((column) => !isNever(grantOnColumn(access, catalog, table, column.name, 'read')))
    .map((column) => column.name)
  const classIds = table.family.flatMap((member) => catalog.tables.get(member)?.id ?? [])
  return { table, columns, classIds }
}

/** A minus before digits is no formula: columns of numbers stay as they are. */
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
