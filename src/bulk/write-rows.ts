import type { Column, Table } from '../catalog/catalog.ts'
import { withReadableNumbers } from '../catalog/long-numbers.ts'
import { isJournal } from '../column-types/column-types.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import type { RecordWrite } from '../records/record-service.ts'
import { eachOf } from './each-of.ts'
import { findExistingRecords, OF_THIS_FILE } from './find-existing-records.ts'
import { type FoundRow, withoutHiddenCells } from './hidden-cells.ts'
import type { ImportJob, ImportRow, RowOutcome, Values, Written } from './import-job.ts'
import { type KeyedRow, keyedRow, storedText } from './keyed-row.ts'
import { bodyOf, valuesSetBy, withoutFilledColumns } from './row-body.ts'
import type { SeenInFile } from './seen-in-file.ts'
import { ANOTHER_IMPORT } from './written-rows.ts'

interface NewRow {
  readonly line: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Writes rows of a file. @returns outcomes in the order of the lines */
export async function writeChunk(chunk: readonly ImportRow[], job: ImportJob): Promise<readonly RowOutcome[]> {
  const outcomes: RowOutcome[] = []
  // Before names are resolved: a record that a written row named may have another name now.
  const good = await resolveRows(await withoutWritten(chunk, job, outcomes), job, outcomes)
  const write = async (rows: readonly KeyedRow[]): Promise<void> => {
    for (const turn of turnsOf(rows)) outcomes.push(...(await writeTurn(turn, job)))
  }
  if (job.options.keys.length === 0 || job.deps.seen !== null) await write(good)
  // Another request with the same rows may have written some meanwhile.
  else await job.deps.runExclusive(job.table, async () => write(await withoutWritten(good, job, outcomes)))
  return outcomes.toSorted((one, other) => one.line - other.line)
}

/** Adds the outcomes of rows that cannot be written. @returns the others */
async function resolveRows(
  rows: readonly ImportRow[],
  job: ImportJob,
  outcomes: RowOutcome[],
): Promise<readonly KeyedRow[]> {
  const good: KeyedRow[] = []
  for (const { line, values } of rows) {
    const resolving = values.ok
      ? job.resolve(withNumbersOf(job.table, withoutFilledColumns(values.value, job)))
      : values
    const named = resolving instanceof Promise ? await resolving : resolving
    const row = named.ok ? keyedRow(line, named.value, job) : named
    if (row.ok) good.push(row.value)
    else outcomes.push({ line, outcome: row })
  }
  return good
}

/** Adds the outcomes of rows that an earlier attempt of this import has written. @returns the others */
async function withoutWritten<Row extends { readonly line: number }>(
  rows: readonly Row[],
  { deps }: ImportJob,
  outcomes: RowOutcome[],
): Promise<readonly Row[]> {
  if (deps.writtenBefore === null) return rows
  const known = await deps.writtenBefore(rows.map(({ line }) => line))
  if (known === null) {
    outcomes.push(...rows.map(({ line }) => ({ line, outcome: fail(ANOTHER_IMPORT) })))
    return []
  }
  return rows.filter(({ line }) => {
    const outcome = known.get(line)
    if (outcome !== undefined) outcomes.push({ line, outcome: succeed(outcome) })
    return outcome === undefined
  })
}

function withNumbersOf(table: Table, values: Values): Values {
  // Only an object can be, or contain, a number that a double cannot hold.
  if (!Object.values(values).some((value) => typeof value === 'object' && value !== null)) return values
  const entries = Object.entries(values)
  const readable = withReadableNumbers(entries, table)
  return readable === entries ? values : Object.fromEntries(readable)
}

/** Puts rows with the same key into successive turns, so that they are written one after another. */
function turnsOf(rows: readonly KeyedRow[]): readonly (readonly KeyedRow[])[] {
  const turns: KeyedRow[][] = []
  const seen = new Map<string, number>()
  for (const row of rows) {
    const { keyId } = row
    const turn = keyId === null ? 0 : (seen.get(keyId) ?? 0)
    if (keyId !== null) seen.set(keyId, turn + 1)
    const members = turns[turn] ?? []
    turns[turn] = members
    members.push(row)
  }
  return turns
}

async function writeTurn(rows: readonly KeyedRow[], job: ImportJob): Promise<readonly RowOutcome[]> {
  const hits = await findExistingRecords(rows, job)
  const outcomes: RowOutcome[] = []
  const fresh: NewRow[] = []
  const found: FoundRow[] = []
  for (const row of rows) {
    const hit = hits.get(row.line) ?? succeed(null)
    const isNew = hit.ok && hit.value === null
    const body = hit.ok ? bodyOf(row.values, job, isNew) : hit
    if (!body.ok) outcomes.push({ line: row.line, outcome: body })
    else if (isNew && row.key !== null && job.options.onMiss === 'reject')
      outcomes.push({ line: row.line, outcome: noRecord(row, job) })
    else if (isNew) fresh.push({ line: row.line, body: body.value })
    else if (hit.ok && hit.value !== null) found.push({ row, sysId: hit.value })
  }
  outcomes.push(...(await createRows(fresh, job)))
  const visible = await withoutHiddenCells(found, job)
  if (visible.ok) outcomes.push(...(await changeRows(visible.value, job)))
  else outcomes.push(...found.map(({ row }) => ({ line: row.line, outcome: visible })))
  return job.deps.seen === null ? outcomes : rememberTurn(rows, outcomes, { job, seen: job.deps.seen })
}

function noRecord({ values }: KeyedRow, { table, options: { keys } }: ImportJob): Result<never, Problem> {
  return fail({
    kind: 'record-not-found',
    table: table.name,
    sysId: keys.map((name) => String(values[name])).join(', '),
  })
}

/** Remembers what later turns and chunks would find in the database if the rows were kept. */
function rememberTurn(
  rows: readonly KeyedRow[],
  outcomes: readonly RowOutcome[],
  { job, seen }: { readonly job: ImportJob; readonly seen: SeenInFile },
): readonly RowOutcome[] {
  const byLine = new Map(rows.map((row) => [row.line, row]))
  return outcomes
    .toSorted((one, other) => one.line - other.line)
    .map(({ line, outcome }) => {
      const row = byLine.get(line)
      if (row === undefined || !outcome.ok || outcome.value === 'skipped') return { line, outcome }
      const written = { id: row.keyId ?? `line ${line}`, isNew: outcome.value === 'inserted' }
      const problem = seen.addRow(written, (column) => textOf(row, column, job))
      return { line, outcome: problem === null ? outcome : fail(problem) }
    })
}

/** The row is written, so its values can be converted. */
function textOf({ values }: KeyedRow, column: Column, job: ImportJob): string | null {
  const text = storedText(values[column.name], column, job)
  return text.ok ? text.value : null
}

async function createRows(rows: readonly NewRow[], job: ImportJob): Promise<readonly RowOutcome[]> {
  const { deps } = job
  if (rows.length === 0) return []
  const writes = rows.map(({ line, body }) => ({ number: line, ...writeOf(body, job) }))
  const written = deps.keyed?.inserted ?? deps.written
  const made = await deps.records.createMany(writes, written)
  const rest = rows.filter(({ line }) => !made.has(line))
  const inserted = rows.filter(({ line }) => made.has(line)).map(({ line }) => ({ line, outcome: INSERTED }))
  const single = await eachOf(rest, async ({ line, body }): Promise<RowOutcome> => {
    const created = await deps.records.create(writeOf(body, job), written?.storeFor(line))
    return { line, outcome: created.ok ? INSERTED : created }
  })
  return [...inserted, ...single]
}

const INSERTED: Result<Written, Problem> = succeed('inserted')

/** @throws the first failure, after the changes that were made are recorded: a repeated import does not make them again */
async function changeRows(rows: readonly FoundRow[], job: ImportJob): Promise<readonly RowOutcome[]> {
  const failures: unknown[] = []
  const changed: RowOutcome[] = []
  await eachOf(rows, async (found) => {
    if (failures.length > 0) return
    try {
      changed.push({ line: found.row.line, outcome: await changeRow(found, job) })
    } catch (error) {
      failures.push(error)
    }
  })
  const done = changed.flatMap(({ line, outcome }) => (outcome.ok && outcome.value === 'updated' ? [line] : []))
  try {
    if (done.length > 0) await job.deps.keyed?.addUpdated(done)
  } catch (error) {
    failures.push(error)
  }
  if (failures.length > 0) throw failures[0]
  return changed
}

async function changeRow({ row, sysId }: FoundRow, job: ImportJob): Promise<Result<Written, Problem>> {
  const { options, deps } = job
  if (options.onHit === 'skip') return succeed('skipped')
  const isOfThisFile = sysId === OF_THIS_FILE
  const given = bodyOf(row.values, job, isOfThisFile)
  const body = given.ok && isOfThisFile && options.onHit === 'patch' ? valuesSetBy(given.value, job.table) : given
  if (!body.ok) return body
  const write = writeOf(body.value, job)
  // If an earlier row of a dry run would have created the record, there is no record to change: check whether these values could
  // be created.
  // A journal entry must not come twice, nor an increment, whatever happens between the write and its record: both are one transaction.
  const store = needsStore(body.value, job) ? deps.keyed?.updated.storeFor(row.line) : undefined
  const written = await (isOfThisFile
    ? deps.records.create(write)
    : options.onHit === 'patch'
      ? deps.records.patch(sysId, write, store)
      : deps.records.update(sysId, write, store))
  return written.ok ? succeed('updated') : written
}

/** Whether the same write a second time could change something more. */
const needsStore = (values: Values, { table, options }: ImportJob): boolean =>
  options.onHit === 'patch' ||
  Object.keys(values).some((name) => {
    const column = table.columns.get(name)
    return column !== undefined && isJournal(column)
  })

const writeOf = (values: Values, { table, options: { inputDisplay, migrating } }: ImportJob): RecordWrite => ({
  table: table.name,
  values,
  fields: [table.keyColumn],
  inputDisplay,
  migrating,
})
