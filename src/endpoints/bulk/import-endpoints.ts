import { z } from 'zod'
import type { Access } from '../../acl/decide.ts'
import { grantOnColumn, isPartial } from '../../acl/descendants-grant.ts'
import type { ImportJobDeps, ImportOptions, ImportOutcome, ImportRow } from '../../bulk/import-job.ts'
import { importedTable, importRows } from '../../bulk/import-rows.ts'
import { csvSource, ndjsonSource, rowValues } from '../../bulk/import-sources.ts'
import { type Mapping, mapRows } from '../../bulk/mapping.ts'
import { seenInFile } from '../../bulk/seen-in-file.ts'
import { type ImportIdentity, insertedBefore, keyedRows, writtenRows } from '../../bulk/written-rows.ts'
import type { Catalog, Table } from '../../catalog/catalog.ts'
import { ImportEnvelope, type ImportResponse, JsonImportEnvelope, MAX_ROW_CHARACTERS } from '../../contract/bulk.ts'
import { declare } from '../../http/endpoint/declare.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import { expecting } from '../../http/endpoint/read-input.ts'
import type { TextUpload } from '../../http/request/form/receive-text-upload.ts'
import { errorOf, fieldOf } from '../../http/response/error-messages.ts'
import type { Problem } from '../../kernel/problem.ts'
import { readJson } from '../../kernel/read-json.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { MAX_KEY_CHARACTERS } from '../../records/idempotency.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import { RecordService } from '../../records/record-service.ts'
import { charsetLabel } from '../../text-formats/charset-labels.ts'
import { decodeStream } from '../../text-formats/decode-stream.ts'
import { TABLE_PATH } from '../record-path.ts'
import { serviceCaller } from '../service-caller.ts'
import { flag, type ImportInput, importInput, mappingOf, mayMigrate, optionsOf, raw } from './bulk-input.ts'

export interface ImportDeps {
  readonly records: RecordDeps
  /** The record service of a dry run, which keeps nothing. */
  readonly dryRecords: RecordDeps
  readonly runExclusive: ImportJobDeps['runExclusive']
}

const DELIMITERS = { ',': ',', ';': ';', tab: '\t', comma: ',', semicolon: ';' } as const
const FORMATS = ['csv', 'ndjson'] as const
type Format = (typeof FORMATS)[number]

const shared = {
  methods: ['POST'],
  tag: 'Bulk',
  errors: [403, 404],
  isGated: false,
} as const
const text = { schema: { type: 'string' } }

/** Rights are checked row by row, as for separate requests. */
export const importEndpoint = declare({
  ...shared,
  id: 'import',
  path: '/rest/v1/import/{table}',
  summary: 'Import CSV or NDJSON',
  description: 'Row by row, with the rights of the caller. Rejected rows are listed and the others are kept.',
  input: {
    ...importInput,
    format: z.enum(FORMATS).optional().meta({ description: 'The format, if Content-Type does not name it.' }),
    raw,
    delimiter: expecting(
      'comma, semicolon or tab',
      z
        .enum(['comma', 'semicolon', 'tab', ',', ';'])
        .optional()
        .meta({ description: 'For CSV; default: detected from the first line.' }),
    ),
  },
  limits: [{ name: 'a row of CSV or NDJSON', value: MAX_ROW_CHARACTERS, unit: 'characters', status: 400 }],
  receives: 'stream',
  requestBody: { required: true, content: { 'text/csv': text, 'application/x-ndjson': text } },
  inPath: TABLE_PATH,
  output: ImportEnvelope,
  async handle(deps: ImportDeps, input, request) {
    const { table = '' } = request.path
    const allowed = mayMigrate(input.migrate, request)
    if (!allowed.ok) return allowed
    const mapping = mappingOf(input)
    if (!mapping.ok) return mapping
    const format = formatOf(input.format, request)
    if (!format.ok) return format
    const rows = await rowsOf(request, format.value, input)
    if (!rows.ok) return rows
    const options = { ...optionsOf(input, format.value === 'csv'), table }
    const jobDeps = await jobDepsOf(deps, request, { options, isDry: input.dry_run, repeatable: null })
    const outcome = await importRows(mapped(rows.value, mapping.value), options, jobDeps).finally(() =>
      request.stream.resume(),
    )
    return outcome.ok
      ? succeed({ data: { table, ...toResponse([[table, outcome.value]], input.dry_run, request.language) } })
      : outcome
  },
})

async function rowsOf(
  request: EndpointRequest,
  format: Format,
  { delimiter, raw: isRaw }: { readonly delimiter?: keyof typeof DELIMITERS | undefined; readonly raw: boolean },
): Promise<Result<AsyncIterable<ImportRow>, Problem>> {
  const file = textOf(request)
  if (!file.ok) return file
  if (format === 'ndjson') return succeed(ndjsonSource(file.value))
  const cells = { delimiter: delimiter === undefined ? null : DELIMITERS[delimiter], isRaw }
  const rows = await csvSource(file.value, cells)
  if (!rows.ok) request.stream.resume()
  return rows
}

function formatOf(named: Format | undefined, { headers }: EndpointRequest): Result<Format, Problem> {
  const type = headers['content-type'] ?? ''
  const format = named ?? (/csv/i.test(type) ? 'csv' : /ndjson|jsonl/i.test(type) ? 'ndjson' : undefined)
  if (format !== undefined) return succeed(format)
  return fail({
    kind: 'unsupported-media-type',
    found: type || 'no Content-Type',
    expected: 'Content-Type: text/csv or application/x-ndjson, or the parameter format',
  })
}

/** The body as a stream with backpressure, decoded with the encoding of its content type, by default UTF-8. */
function textOf({ stream, headers }: EndpointRequest): Result<AsyncIterable<string>, Problem> {
  const [, charset = 'utf-8'] = /charset="?([\w-]+)"?/i.exec(headers['content-type'] ?? '') ?? []
  const label = charsetLabel(charset)
  return label === undefined
    ? fail({ kind: 'unsupported-media-type', found: `the encoding ${charset}`, expected: 'UTF-8' })
    : // The connection must not be destroyed with the rest of the body, because the response uses it too.
      succeed(decodeStream(stream.iterator({ destroyOnReturn: false }), label))
}

/** `{"table":[{…},…],…}`, with several tables in sequence. */
export const importJsonEndpoint = declare({
  ...shared,
  id: 'import.json',
  path: '/v1/import/json',
  alsoAt: ['/rest/v1/import/json'],
  summary: 'Import a JSON file of tables and their rows',
  description: 'Also under /rest. At most 32 MB; more goes as NDJSON.',
  input: { ...importInput, text: flag('1: values are texts of cells, as of CSV.') },
  headers: {
    'Idempotency-Key':
      'The same file sent again under it within a day: rows that are in already are not written again, with a key or without.',
  },
  receives: 'text-upload',
  requestBody: {
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          required: ['file'],
          properties: {
            file: { type: 'string', format: 'binary', description: '`{"table":[{"column":"value"}]}`' },
          },
        },
      },
    },
  },
  output: JsonImportEnvelope,
  async handle(deps: ImportDeps, input, request) {
    const allowed = mayMigrate(input.migrate, request)
    if (!allowed.ok) return allowed
    const mapping = mappingOf(input)
    if (!mapping.ok) return mapping
    const tables = readTables(request.body as TextUpload)
    if (!tables.ok) return tables
    const key = keyOf(request)
    if (!key.ok) return key
    const outcomes = await importTables(deps, request, {
      input,
      tables: tables.value,
      mapping: mapping.value,
      key: key.value,
    })
    if (!outcomes.ok) return outcomes
    const { fileName } = request.body as TextUpload
    return succeed({ data: { filename: fileName, ...toResponse(outcomes.value, input.dry_run, request.language) } })
  },
})

type Tables = Readonly<Record<string, unknown>>

function readTables({ text: json }: TextUpload): Result<Tables, Problem> {
  const file = readJson(json, 'as-numbers')
  if (!file.ok) return file
  const tables = rowValues(file.value)
  if (tables.ok) return tables
  return fail({ kind: 'bad-body', expected: 'a JSON object of tables and arrays of rows', found: 'no object' })
}

interface ImportOfTables {
  readonly input: ImportInput & { readonly text: boolean }
  readonly tables: Tables
  readonly mapping: Mapping | null
  readonly key: string | null
}

type OutcomeOfTable = readonly [table: string, ImportOutcome]

async function importTables(
  deps: ImportDeps,
  request: EndpointRequest,
  { input, tables, mapping, key }: ImportOfTables,
): Promise<Result<readonly OutcomeOfTable[], Problem>> {
  const { text: json } = request.body as TextUpload
  const sent = [json, [...request.texts].sort(), request.principal.roleKey]
  const found = rowsByTable(tables, optionsOf(input, input.text), await deps.records.catalog.upToDate())
  if (!found.ok) return found
  const outcomes: OutcomeOfTable[] = []
  for (const [table, rows] of found.value) {
    const source = rows.map((row: unknown, index) => ({ line: index + 1, values: rowValues(row) }))
    const options = { ...optionsOf(input, input.text), table }
    const repeatable = key === null ? null : { userId: request.principal.userId, key: `${key} ${table}`, request: sent }
    const jobDeps = await jobDepsOf(deps, request, { options, isDry: input.dry_run, repeatable })
    const outcome = await importRows(mapped(eachOf(source), mapping), options, jobDeps)
    if (!outcome.ok) return outcome
    outcomes.push([table, outcome.value])
  }
  return succeed(outcomes)
}

/** Checks all tables before rows of the first one are written: an error response must not hide that rows were written. */
function rowsByTable(
  tables: Tables,
  options: Omit<ImportOptions, 'table'>,
  catalog: Catalog,
): Result<readonly (readonly [table: string, rows: readonly unknown[]])[], Problem> {
  const all: [string, readonly unknown[]][] = []
  for (const [table, rows] of Object.entries(tables)) {
    if (!Array.isArray(rows))
      return fail({ kind: 'invalid-value', field: table, detail: 'an array of rows is expected' })
    const found = importedTable({ ...options, table }, catalog)
    if (!found.ok) return found
    all.push([table, rows])
  }
  return succeed(all)
}

const mapped = (rows: AsyncIterable<ImportRow>, mapping: Mapping | null): AsyncIterable<ImportRow> =>
  mapping === null ? rows : mapRows(rows, mapping)

async function* eachOf<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}

interface Importing {
  readonly options: ImportOptions
  readonly isDry: boolean
  /** null: a repeated import writes its rows again. */
  readonly repeatable: ImportIdentity | null
}

async function jobDepsOf(
  deps: ImportDeps,
  request: EndpointRequest,
  { options, isDry, repeatable }: Importing,
): Promise<ImportJobDeps> {
  const records = isDry ? deps.dryRecords : deps.records
  const catalog = await records.catalog.upToDate()
  const table = catalog.tables.get(options.table)
  const hasKey = options.keys.length > 0
  const isKept = !isDry && repeatable !== null
  const written = isKept && !hasKey ? writtenRows(repeatable, records.clock) : null
  const keyed = isKept && hasKey ? keyedRows(records.database, repeatable, records.clock) : null
  return {
    catalog,
    records: new RecordService(records, serviceCaller(request, request.gate.runPatiently)),
    reader: request.principal,
    runExclusive: deps.runExclusive,
    partlyReadable:
      options.isText && table !== undefined
        ? partlyReadable(table, records.accessFor(catalog, request.principal), catalog)
        : new Set(),
    seen: isDry && table !== undefined ? seenInFile(table, hasKey) : null,
    writtenBefore: keyed?.outcomes ?? (written && ((lines) => insertedBefore(records.database, written, lines))),
    written,
    keyed,
  }
}

function partlyReadable(table: Table, access: Access, catalog: Catalog): ReadonlySet<string> {
  const names = [...table.columns.keys()]
  return new Set(names.filter((name) => isPartial(grantOnColumn(access, catalog, table, name, 'read'))))
}

function keyOf({ headers }: EndpointRequest): Result<string | null, Problem> {
  const given = headers['idempotency-key']
  if (typeof given !== 'string' || given === '') return succeed(null)
  if (given.length <= MAX_KEY_CHARACTERS) return succeed(given)
  const expected = `at most ${MAX_KEY_CHARACTERS} characters`
  return fail({ kind: 'bad-parameter', parameter: 'Idempotency-Key', found: `${given.length} characters`, expected })
}

function toResponse(
  outcomes: readonly OutcomeOfTable[],
  isDry: boolean,
  language: 'en' | 'ru',
): Omit<ImportResponse, 'table'> {
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
    dry_run: isDry,
  }
}
