import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ImportMeans, ImportOptions, ImportOutcome, ImportRow } from '../../bulk/import-job.ts'
import { importRows } from '../../bulk/import-rows.ts'
import { csvSource, ndjsonSource, rowValues } from '../../bulk/import-sources.ts'
import { type Mapping, mapRows } from '../../bulk/mapping.ts'
import { seenInFile } from '../../bulk/seen-in-file.ts'
import { type WrittenRows, writtenRows } from '../../bulk/written-rows.ts'
import type { ImportOnTheWire } from '../../contract/bulk.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { MAX_KEY_CHARACTERS } from '../../records/idempotency.ts'
import type { RecordRoom } from '../../records/record-room.ts'
import { RecordService } from '../../records/record-service.ts'
import { charsetLabel } from '../../text-formats/charset-labels.ts'
import { decodeStream } from '../../text-formats/decode-stream.ts'
import { errorOf, fieldOf } from '../answer/answer-problem.ts'
import { languageOf } from '../answer/send-answer.ts'
import type { HttpParts } from '../http-parts.ts'
import { callerOf } from '../request/caller.ts'
import { FieldTooLong, isFile, openForm, problemOfForm, readField } from '../request/form/open-form.ts'
import { BrokenForm } from '../request/form/read-form.ts'
import { readQueryString } from '../request/query-string.ts'
import { readJson } from '../request/read-json.ts'
import { queryOf } from '../request/request-target.ts'
import { serviceCaller } from '../request/service-caller.ts'
import type { StatementGate } from '../request/statement-gate.ts'
import { answering } from './answering.ts'
import { addBulkChangeRoute } from './bulk-change-route.ts'
import { addExportRoute } from './export-route.ts'
import {
  checkNames,
  delimiterOf,
  formatOf,
  isDry,
  isFlag,
  mappingOf,
  mayMigrateAs,
  type Parameters,
  readOptions,
} from './import-parameters.ts'

export interface BulkParts {
  readonly room: RecordRoom
  /** The same with nothing kept. */
  readonly dryRoom: RecordRoom
  readonly gate: StatementGate
  readonly alone: ImportMeans['alone']
}

/** Many records at once: docs/spec/records.md, section 9. Rights are asked row by row, as if each came by itself. */
export function addBulkRoutes(app: FastifyInstance, parts: HttpParts, bulk: BulkParts): void {
  for (const url of ['/v1/import/json', '/rest/v1/import/json']) {
    app.route({ method: 'POST', url, handler: answering(parts.observe, (request) => importJson(parts, bulk, request)) })
  }
  app.route({
    method: 'POST',
    url: '/rest/v1/import/:table',
    handler: answering(parts.observe, (request) => importText(parts, bulk, request)),
  })
  addExportRoute(app, parts, bulk)
  addBulkChangeRoute(app, parts, bulk)
}

async function importText(
  parts: HttpParts,
  bulk: BulkParts,
  request: FastifyRequest,
): Promise<Result<ImportOnTheWire, Problem>> {
  const parameters = readQueryString(queryOf(request.raw.url ?? ''))
  if (!parameters.ok) return parameters
  const allowed = mayImport(request, parameters.value, 'text')
  if (!allowed.ok) return allowed
  const mapping = mappingOf(parameters.value)
  if (!mapping.ok) return mapping
  const format = formatOf(parameters.value, request)
  if (!format.ok) return format
  const text = textOf(request)
  if (!text.ok) return text
  const delimiter = delimiterOf(parameters.value)
  if (!delimiter.ok) return delimiter
  const { table } = request.params as { readonly table: string }
  const isCsv = format.value === 'csv'
  const cells = { delimiter: delimiter.value, isRaw: isFlag(parameters.value.get('raw')) }
  const rows = isCsv ? await csvSource(text.value, cells) : succeed(ndjsonSource(text.value, readRow))
  if (!rows.ok) {
    request.raw.resume()
    return rows
  }
  const options = readOptions(parameters.value, isCsv)
  if (!options.ok) return options
  const importing = { ...options.value, table }
  const means = await meansOf(parts, bulk, request, { options: importing, isDry: isDry(parameters.value), once: null })
  const outcome = await importRows(mapped(rows.value, mapping.value), importing, means).finally(() =>
    request.raw.resume(),
  )
  return outcome.ok
    ? succeed({ table, ...onTheWire([[table, outcome.value]], parameters.value, languageOf(request)) })
    : outcome
}

const readRow = (text: string): Result<unknown, Problem> => readJson(text, 'as-numbers')

/** A whole file in memory, as JSON needs it; more than that goes as NDJSON. */
const jsonBytes = 32 * 1_048_576

/** `{"table":[{…},…],…}`, several tables one after the other. */
async function importJson(
  parts: HttpParts,
  bulk: BulkParts,
  request: FastifyRequest,
): Promise<Result<unknown, Problem>> {
  const query = readQueryString(queryOf(request.raw.url ?? ''))
  if (!query.ok) return query
  const form = await readForm(request)
  if (!form.ok) return form
  const parameters: Parameters = new Map([...query.value, ...form.value.fields])
  const allowed = mayImport(request, parameters, 'json')
  if (!allowed.ok) return allowed
  const mapping = mappingOf(parameters)
  if (!mapping.ok) return mapping
  const options = readOptions(parameters, isFlag(parameters.get('text')))
  if (!options.ok) return options
  const file = readJson(form.value.text, 'as-numbers')
  if (!file.ok) return file
  const tables = rowValues(file.value)
  if (!tables.ok)
    return refuse({ kind: 'bad-body', expected: 'a JSON object of tables and arrays of rows', found: 'no object' })
  const key = keyOf(request)
  if (!key.ok) return key
  const sent = [form.value.text, [...parameters].sort(), callerOf(request).principal.roleKey]
  const outcomes: [string, ImportOutcome][] = []
  for (const [table, rows] of Object.entries(tables.value)) {
    if (!Array.isArray(rows))
      return refuse({ kind: 'invalid-value', field: table, detail: 'an array of rows is expected' })
    const source = rows.map((row: unknown, index) => ({ line: index + 1, values: rowValues(row) }))
    const importing = { ...options.value, table }
    const once = key.value === null ? null : writtenRowsOf(bulk, request, `${key.value} ${table}`, sent)
    const means = await meansOf(parts, bulk, request, { options: importing, isDry: isDry(parameters), once })
    const outcome = await importRows(mapped(eachOf(source), mapping.value), importing, means)
    if (!outcome.ok) return outcome
    outcomes.push([table, outcome.value])
  }
  return succeed({ filename: form.value.fileName, ...onTheWire(outcomes, parameters, languageOf(request)) })
}

function mayImport(request: FastifyRequest, parameters: Parameters, kind: 'text' | 'json'): Result<null, Problem> {
  const known = checkNames(parameters, kind)
  return known.ok ? mayMigrateAs(callerOf(request).principal, parameters) : known
}

const mapped = (rows: AsyncIterable<ImportRow>, mapping: Mapping | null): AsyncIterable<ImportRow> =>
  mapping === null ? rows : mapRows(rows, mapping)

async function* eachOf<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}

interface Importing {
  readonly options: ImportOptions
  readonly isDry: boolean
  /** null: whoever sends the same again means other records. */
  readonly once: WrittenRows | null
}

async function meansOf(
  parts: HttpParts,
  bulk: BulkParts,
  request: FastifyRequest,
  { options, isDry, once }: Importing,
): Promise<ImportMeans> {
  const room = isDry ? bulk.dryRoom : bulk.room
  const catalog = await room.catalog.upToDate()
  const table = catalog.tables.get(options.table)
  const hasKey = options.keys.length > 0
  return {
    catalog,
    records: new RecordService(room, serviceCaller(parts, request, bulk.gate.runPatiently)),
    language: callerOf(request).principal.language,
    alone: bulk.alone,
    seen: isDry && table !== undefined ? seenInFile(table, hasKey) : null,
    // The key of a row says whether it is in already.
    written: hasKey || isDry ? null : once,
  }
}

function keyOf({ headers }: FastifyRequest): Result<string | null, Problem> {
  const given = headers['idempotency-key']
  if (typeof given !== 'string' || given === '') return succeed(null)
  if (given.length <= MAX_KEY_CHARACTERS) return succeed(given)
  const expected = `at most ${MAX_KEY_CHARACTERS} characters`
  return refuse({ kind: 'bad-parameter', parameter: 'Idempotency-Key', found: `${given.length} characters`, expected })
}

function writtenRowsOf(
  { room }: BulkParts,
  request: FastifyRequest,
  key: string,
  sent: readonly unknown[],
): WrittenRows {
  return writtenRows({ userId: callerOf(request).principal.userId, key, request: sent }, room.clock)
}

function onTheWire(
  outcomes: readonly (readonly [table: string, ImportOutcome])[],
  parameters: Parameters,
  language: 'en' | 'ru',
): Omit<ImportOnTheWire, 'table'> {
  const sum = (of: (outcome: ImportOutcome) => number): number => outcomes.reduce((all, [, one]) => all + of(one), 0)
  return {
    inserted: sum(({ inserted }) => inserted),
    updated: sum(({ updated }) => updated),
    skipped: sum(({ skipped }) => skipped),
    failed: sum(({ failed }) => failed),
    errors: outcomes.flatMap(([table, { errors }]) =>
      errors.map(({ line, problem }) => ({ table, line, ...errorOf(problem, language), ...fieldOf(problem) })),
    ),
    ignored_columns: [...new Set(outcomes.flatMap(([, { ignoredColumns }]) => ignoredColumns))],
    dry_run: isDry(parameters),
  }
}

/** The body as it arrives, no faster than it is read; in the encoding that its type names, UTF-8 without one. */
function textOf({ raw, headers }: FastifyRequest): Result<AsyncIterable<string>, Problem> {
  const [, charset = 'utf-8'] = /charset="?([\w-]+)"?/i.exec(headers['content-type'] ?? '') ?? []
  const label = charsetLabel(charset)
  return label === undefined
    ? refuse({ kind: 'unsupported-media-type', found: `the encoding ${charset}`, expected: 'UTF-8' })
    : // Not to be destroyed with what is left of the body: the answer goes the same way.
      succeed(decodeStream(raw.iterator({ destroyOnReturn: false }), label))
}

interface JsonForm {
  readonly text: string
  readonly fileName: string
  readonly fields: Parameters
}

const mostFields = 20
/** Bytes. */
const longestField = 100_000

async function readForm(request: FastifyRequest): Promise<Result<JsonForm, Problem>> {
  const form = openForm(request)
  if (!form.ok) return form
  const fields = new Map<string, string>()
  let file: { readonly text: string; readonly fileName: string } | undefined
  try {
    for await (const part of form.value.parts) {
      if (!isFile(part)) fields.set(part.name, await readField(part, longestField))
      else if (file !== undefined) throw new BrokenForm('it holds more than one file')
      else file = { text: await readField(part, jsonBytes), fileName: part.fileName ?? '' }
      if (fields.size > mostFields) throw new BrokenForm(`it has more than ${mostFields} fields`)
    }
  } catch (error) {
    if (error instanceof FieldTooLong && error.longest === jsonBytes)
      return refuse({ kind: 'body-too-large', maxBytes: jsonBytes })
    return refuse(problemOfForm(error))
  } finally {
    form.value.close()
  }
  return file === undefined
    ? refuse({ kind: 'invalid-value', field: 'file', detail: 'it is missing' })
    : succeed({ ...file, fields })
}
