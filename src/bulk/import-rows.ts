import type { Catalog, Column, Table } from '../catalog/catalog.ts'
import { SYSTEM_COLUMNS } from '../catalog/catalog.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, refuse, succeed } from '../kernel/result.ts'
import type { Answer, Asked } from '../records/asked.ts'

/** A row of whatever file: values by column, or why it is none. */
export interface ImportRow {
  /** Of the file, from 1; of a JSON array the number of the element. */
  readonly line: number
  readonly values: Result<Readonly<Record<string, unknown>>, Problem>
}

export interface ImportOptions {
  readonly table: string
  /** Columns that tell whether a record is there already; none: every row is a new record. */
  readonly keys: readonly string[]
  readonly onHit: 'update' | 'skip'
  /** Values are texts of cells: JSON of a json column is read, empty means empty. */
  readonly isText: boolean
}

export interface RowError {
  readonly line: number
  readonly problem: Problem
}

export interface ImportOutcome {
  readonly inserted: number
  readonly updated: number
  /** Hits that were left as they are, because that was asked for. */
  readonly skipped: number
  readonly failed: number
  /** The first of them. */
  readonly errors: readonly RowError[]
  /** Columns of the file that the server fills itself. */
  readonly ignoredColumns: readonly string[]
}

/** Asks the record service as the caller; each question is a statement and a transaction of its own. */
export type AskRecords = (
  question: Pick<Asked, 'operation' | 'table' | 'sysId' | 'parameters' | 'body'>,
) => Promise<Result<Answer, Problem>>

/** Rows that are on their way to PostgreSQL at once: their commits share what the disk is waited for. */
const atOnce = 8
const mostErrors = 1_000

/**
 * Writes rows one by one as the caller, with the right to create for what is new and the right to write for what is there: a
 * bad row is told and does not lose the others. Rows of one key are written one after the other.
 *
 * @param rows read no faster than they are written
 */
export async function importRows(
  rows: AsyncIterable<ImportRow>,
  options: ImportOptions,
  { ask, catalog }: { readonly ask: AskRecords; readonly catalog: Catalog },
): Promise<Result<ImportOutcome, Problem>> {
  const table = catalog.tables.get(options.table)
  if (table === undefined) return refuse({ kind: 'table-not-found', table: options.table, similar: [] })
  const unknown = options.keys.find((key) => !table.columns.has(key))
  if (unknown !== undefined) {
    return refuse({
      kind: 'bad-parameter',
      parameter: 'key',
      found: unknown,
      expected: `a list of columns of ${table.name}`,
    })
  }
  const counts = { inserted: 0, updated: 0, skipped: 0, failed: 0 }
  const errors: RowError[] = []
  const ignored = new Set<string>()
  const underWay = new Set<Promise<void>>()
  const lastOfKey = new Map<string, Promise<void>>()
  const fail = (line: number, problem: Problem): void => {
    counts.failed += 1
    if (errors.length < mostErrors) errors.push({ line, problem })
  }
  const writer: RowWriter = { options, table, ask, ignored }

  const begin = (row: ImportRow, before: Promise<void> | undefined): Promise<void> =>
    (before ?? Promise.resolve()).then(async () => {
      const outcome = row.values.ok ? await writeRow(row.values.value, writer) : row.values
      if (outcome.ok) counts[outcome.value] += 1
      else fail(row.line, outcome.error)
    })

  for await (const row of rows) {
    const key = row.values.ok ? keyOf(row.values.value, options) : null
    const work = begin(row, key === null ? undefined : lastOfKey.get(key))
    if (key !== null) lastOfKey.set(key, work)
    underWay.add(work)
    const settled = (): void => {
      underWay.delete(work)
      if (key !== null && lastOfKey.get(key) === work) lastOfKey.delete(key)
    }
    work.then(settled, settled)
    if (underWay.size >= atOnce) await Promise.race(underWay)
  }
  await Promise.all(underWay)
  return succeed({
    ...counts,
    errors: errors.toSorted((one, other) => one.line - other.line),
    ignoredColumns: [...ignored].sort(),
  })
}

/** Texts compare without case, so rows that differ by case alone are of one key. */
function keyOf(values: Readonly<Record<string, unknown>>, { keys }: ImportOptions): string | null {
  return keys.length === 0 ? null : JSON.stringify(keys.map((key) => String(values[key] ?? '').toLowerCase()))
}

interface RowWriter {
  readonly options: ImportOptions
  readonly table: Table
  readonly ask: AskRecords
  readonly ignored: Set<string>
}

type Written = 'inserted' | 'updated' | 'skipped'

async function writeRow(
  values: Readonly<Record<string, unknown>>,
  writer: RowWriter,
): Promise<Result<Written, Problem>> {
  const { options, table, ask } = writer
  const hit = await findHit(values, writer)
  if (!hit.ok) return hit
  if (hit.value !== null && options.onHit === 'skip') return succeed('skipped')
  const body = bodyOf(values, writer, hit.value === null)
  if (!body.ok) return body
  const parameters = new Map([['sysparm_fields', table.keyColumn]])
  const answer = await ask(
    hit.value === null
      ? { operation: 'create', table: table.name, sysId: null, parameters, body: body.value }
      : { operation: 'put', table: table.name, sysId: hit.value, parameters, body: body.value },
  )
  return answer.ok ? succeed(hit.value === null ? 'inserted' : 'updated') : answer
}

/** The one record with this key that the caller may read. @returns its sys_id; null when there is none */
async function findHit(
  values: Readonly<Record<string, unknown>>,
  { options, table, ask }: RowWriter,
): Promise<Result<string | null, Problem>> {
  if (options.keys.length === 0) return succeed(null)
  const conditions: string[] = []
  for (const key of options.keys) {
    const value = values[key]
    if (value === undefined || value === null || value === '' || typeof value === 'object')
      return refuse({ kind: 'invalid-value', field: key, detail: 'is a key column; give it a value' })
    conditions.push(`${key}=${String(value).replaceAll('^', '^^')}`)
  }
  const found = await ask({
    operation: 'list',
    table: table.name,
    sysId: null,
    parameters: new Map([
      ['sysparm_query', conditions.join('^')],
      ['sysparm_fields', table.keyColumn],
      ['sysparm_limit', '2'],
      ['sysparm_no_count', '1'],
    ]),
    body: undefined,
  })
  // A wrong value of a key column is said of the column, not of a query that nobody wrote.
  if (!found.ok) return refuse(found.error.kind === 'bad-query' ? wrongKey(found.error, options) : found.error)
  const { data } = JSON.parse(found.value.body) as { readonly data: readonly Readonly<Record<string, string>>[] }
  const [first, second] = data
  if (second !== undefined) {
    const detail = `is the key of more than one record (${options.keys.join(', ')})`
    return refuse({ kind: 'invalid-value', field: options.keys[0] ?? '', detail })
  }
  return succeed(first?.[table.keyColumn] ?? null)
}

function wrongKey(problem: Problem & { readonly kind: 'bad-query' }, { keys }: ImportOptions): Problem {
  return { kind: 'invalid-value', field: problem.field ?? keys[0] ?? '', detail: problem.detail }
}

/** What the server fills is left out and named: a file that was exported is imported again as it is. */
function bodyOf(
  values: Readonly<Record<string, unknown>>,
  { options, table, ignored }: RowWriter,
  isNew: boolean,
): Result<Readonly<Record<string, unknown>>, Problem> {
  const body: [string, unknown][] = []
  for (const [name, value] of Object.entries(values)) {
    const column = table.columns.get(name)
    const isKey = name === table.keyColumn
    if (column !== undefined && !isKey && (column.readOnly || SYSTEM_COLUMNS.has(name))) {
      ignored.add(name)
      continue
    }
    // Only an administrator gives a sys_id, and only to a new record; on a hit it is the record's own.
    if (isKey && (!isNew || value === null || value === '')) continue
    const read = options.isText && column !== undefined ? cellValue(String(value ?? ''), column) : succeed(value)
    if (!read.ok) return read
    body.push([name, read.value])
  }
  return succeed(Object.fromEntries(body))
}

/** A cell as a value of a JSON body; the record service reads texts of numbers, booleans and dates itself. */
function cellValue(text: string, column: Column): Result<unknown, Problem> {
  if (text === '') return succeed(null)
  if (column.type !== 'json' && !(column.type === 'list' && text.startsWith('['))) return succeed(text)
  try {
    return succeed(JSON.parse(text))
  } catch {
    return refuse({ kind: 'invalid-value', field: column.name, detail: 'is no JSON' })
  }
}
