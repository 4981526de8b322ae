import type { Catalog, Table } from '../catalog/catalog.ts'
import { MAX_ROW_CHARACTERS, MAX_ROW_ERRORS } from '../contract/bulk.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import type {
  ImportJob,
  ImportJobDeps,
  ImportOptions,
  ImportOutcome,
  ImportRow,
  RowError,
  RowOutcome,
} from './import-job.ts'
import { type NameLookup, resolveNames } from './resolve-names.ts'
import { filledColumns } from './row-body.ts'
import { writeChunk } from './write-rows.ts'

/** Rows per statement, if their texts have the usual length. */
const rowsTogether = 250
const unitsTogether = 1_048_576

/** The table of an import. @returns the error of an import that cannot begin */
export function importedTable({ table: name, keys }: ImportOptions, { tables }: Catalog): Result<Table, Problem> {
  const table = tables.get(name)
  if (table === undefined) return fail({ kind: 'table-not-found', table: name, similar: [] })
  const unknown = keys.find((key) => !table.columns.has(key))
  if (unknown === undefined) return succeed(table)
  return fail({
    kind: 'bad-parameter',
    parameter: 'key',
    found: unknown,
    expected: `a list of columns of ${table.name}`,
  })
}

/**
 * Writes rows as the caller. New records need the right to create, existing ones the right to write. An invalid row is reported
 * and does not affect the others. Rows with the same key are applied in the order of the file.
 *
 * @param rows read no faster than they are written
 */
export async function importRows(
  rows: AsyncIterable<ImportRow>,
  options: ImportOptions,
  deps: ImportJobDeps,
): Promise<Result<ImportOutcome, Problem>> {
  const found = importedTable(options, deps.catalog)
  if (!found.ok) return found
  const table = found.value
  const counts = { inserted: 0, updated: 0, skipped: 0, failed: 0 }
  const errors: RowError[] = []
  const resolve = resolveNames(lookupOf(table, options, deps))
  const job: ImportJob = { options, table, deps, resolve, filled: filledColumns(table, options), ignored: new Set() }
  const count = ({ line, outcome }: RowOutcome): void => {
    if (outcome.ok) counts[outcome.value] += 1
    else {
      counts.failed += 1
      if (errors.length < MAX_ROW_ERRORS) errors.push({ line, problem: outcome.error })
    }
  }
  const waiting = new WaitingRows()
  for await (const chunk of chunksOf(rows)) {
    const outcomes = await writeChunk(chunk, job)
    const held = waiting.hold(chunk, new Set(outcomes.flatMap((each) => (waits(each, job) ? [each.line] : []))))
    outcomes.filter(({ line }) => !held.has(line)).forEach(count)
  }
  for (const outcome of await writeWaiting(waiting.rows, job)) count(outcome)
  errors.sort((one, other) => one.line - other.line)
  return succeed({ ...counts, errors, ignoredColumns: [...job.ignored].sort() })
}

const lookupOf = (
  table: Table,
  { migrating, onHit }: ImportOptions,
  { catalog, records, reader }: ImportJobDeps,
): NameLookup => ({
  catalog,
  table,
  records,
  language: reader.language,
  migrating,
  patching: onHit === 'patch',
})

/** Rows of a migration that wait for records further down in their file, in memory. */
const maxWaiting = 20_000
const maxWaitingUnits = 2 * MAX_ROW_CHARACTERS

class WaitingRows {
  readonly rows: ImportRow[] = []
  #units = 0

  /** @returns the lines of the rows that there was space for */
  hold(chunk: readonly ImportRow[], lines: ReadonlySet<number>): ReadonlySet<number> {
    const held = new Set<number>()
    for (const row of chunk) {
      if (!lines.has(row.line) || this.rows.length >= maxWaiting || this.#units >= maxWaitingUnits) continue
      this.rows.push(row)
      this.#units += unitsOf(row)
      held.add(row.line)
    }
    return held
  }
}

/** The row refers to a record of its own hierarchy that does not exist yet. */
function waits({ outcome }: RowOutcome, { options, table, deps }: ImportJob): boolean {
  if (!options.migrating || outcome.ok || outcome.error.kind !== 'invalid-value') return false
  const target = deps.catalog.tables.get(table.columns.get(outcome.error.field)?.reference ?? '')
  return target !== undefined && target.storage.table === table.storage.table
}

/** Repeats rounds as long as a round writes something. */
async function writeWaiting(rows: readonly ImportRow[], job: ImportJob): Promise<readonly RowOutcome[]> {
  const done: RowOutcome[] = []
  for (let waiting = rows; waiting.length > 0; ) {
    const resolve = resolveNames(lookupOf(job.table, job.options, job.deps))
    const outcomes: RowOutcome[] = []
    for await (const chunk of chunksOf(eachRow(waiting)))
      outcomes.push(...(await writeChunk(chunk, { ...job, resolve })))
    const held = new Set(outcomes.flatMap((each) => (waits(each, job) ? [each.line] : [])))
    const isOver = held.size === waiting.length
    done.push(...outcomes.filter(({ line }) => isOver || !held.has(line)))
    if (isOver) break
    waiting = waiting.filter(({ line }) => held.has(line))
  }
  return done
}

async function* eachRow(rows: readonly ImportRow[]): AsyncGenerator<ImportRow> {
  yield* rows
}

async function* chunksOf(rows: AsyncIterable<ImportRow>): AsyncGenerator<readonly ImportRow[]> {
  let chunk: ImportRow[] = []
  let units = 0
  for await (const row of rows) {
    chunk.push(row)
    units += unitsOf(row)
    if (chunk.length < rowsTogether && units < unitsTogether) continue
    yield chunk
    chunk = []
    units = 0
  }
  if (chunk.length > 0) yield chunk
}

const unitsOf = ({ values }: ImportRow): number => (values.ok ? sizeOf(values.value) : 0)

/** Approximate size, in characters. Journals are arrays of any length. */
function sizeOf(values: Readonly<Record<string, unknown>>): number {
  let units = 0
  for (const value of Object.values(values))
    units += typeof value === 'string' ? value.length : typeof value === 'object' ? JSON.stringify(value).length : 10
  return units
}
