import type { Catalog, Column, Table } from '../catalog/catalog.ts'
import { SYSTEM_COLUMNS } from '../catalog/catalog.ts'
import { withReadableNumbers } from '../catalog/long-numbers.ts'
import { columnTypeOf, comparisonOf, isJournal } from '../column-types/column-types.ts'
import { allOf } from '../condition/combine-conditions.ts'
import type { ConditionTest, ConditionTree } from '../condition/condition-tree.ts'
import { equalsText, isOneOf } from '../condition/literal-tests.ts'
import { parseExactJson, withDigitsAsText } from '../kernel/exact-json.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, refuse, succeed } from '../kernel/result.ts'
import { mayMigrate } from '../records/plan/migrated-entries.ts'
import type { RecordService, RecordWrite } from '../records/record-service.ts'
import { type ResolveNames, resolveNames } from './resolve-names.ts'
import type { SeenInFile } from './seen-in-file.ts'
import type { WrittenRows } from './written-rows.ts'

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
  /** An administrator moves records in: what the server would fill is taken from the file. */
  readonly migrating: boolean
  /** Values are as people read them (sysparm_input_display_value). */
  readonly inputDisplay: boolean
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

export interface NewRow {
  readonly line: number
  readonly body: Readonly<Record<string, unknown>>
}

export interface ImportMeans {
  readonly catalog: Catalog
  readonly records: RecordService
  /** Of the caller. */
  readonly language: 'en' | 'ru'
  /** Rows without a key that are in already, where the import may be sent again; null: each row is new. */
  readonly written: WrittenRows | null
  /**
   * Runs work that looks whether records are there and makes those that are not, while no other import with a key does so in
   * the same table: in the time between, another could make the same record.
   */
  readonly alone: <T>(table: Table, work: () => Promise<T>) => Promise<T>
  /** Of a dry run; null: rows stay. */
  readonly seen: SeenInFile | null
}

/** Rows that are looked up, or written by themselves, at once: their commits share what the disk is waited for. */
const atOnce = 8
/** Rows of a statement, as far as they are not longer than texts usually are. */
const rowsTogether = 250
const unitsTogether = 1_048_576
const mostErrors = 1_000

/**
 * Writes rows as the caller, with the right to create for what is new and the right to write for what is there: a bad row is
 * told and does not lose the others. Of rows of one key the later come after the earlier.
 *
 * @param rows read no faster than they are written
 */
export async function importRows(
  rows: AsyncIterable<ImportRow>,
  options: ImportOptions,
  means: ImportMeans,
): Promise<Result<ImportOutcome, Problem>> {
  const table = means.catalog.tables.get(options.table)
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
  const { catalog, records, language } = means
  const resolve = resolveNames({ catalog, table, records, language, migrating: options.migrating })
  const writer: RowWriter = { options, table, means, resolve, ignored: new Set() }
  const count = ({ line, outcome }: RowOutcome): void => {
    if (outcome.ok) counts[outcome.value] += 1
    else {
      counts.failed += 1
      if (errors.length < mostErrors) errors.push({ line, problem: outcome.error })
    }
  }
  const waiting: ImportRow[] = []
  for await (const chunk of chunksOf(rows)) {
    const outcomes = await writeChunk(chunk, writer)
    const held = new Set(
      outcomes.flatMap((each) => (waits(each, writer) ? [each.line] : [])).slice(0, mostWaiting - waiting.length),
    )
    waiting.push(...chunk.filter(({ line }) => held.has(line)))
    outcomes.filter(({ line }) => !held.has(line)).forEach(count)
  }
  for (const outcome of await writeWaiting(waiting, writer)) count(outcome)
  errors.sort((one, other) => one.line - other.line)
  return succeed({ ...counts, errors, ignoredColumns: [...writer.ignored].sort() })
}

/** Rows of a migration that wait for records that stand further down in their file. */
const mostWaiting = 20_000

/** The row names a record of its own hierarchy that is not there yet. */
function waits({ outcome }: RowOutcome, { options, table, means }: RowWriter): boolean {
  if (!options.migrating || outcome.ok || outcome.error.kind !== 'invalid-value') return false
  const target = means.catalog.tables.get(table.columns.get(outcome.error.field)?.reference ?? '')
  return target !== undefined && target.storage.table === table.storage.table
}

/** Round by round, as long as a round writes something. */
async function writeWaiting(rows: readonly ImportRow[], writer: RowWriter): Promise<readonly RowOutcome[]> {
  const done: RowOutcome[] = []
  for (let waiting = rows; waiting.length > 0; ) {
    const resolve = resolveNames({ ...writer.means, table: writer.table, migrating: true })
    const outcomes: RowOutcome[] = []
    for await (const chunk of chunksOf(eachRow(waiting)))
      outcomes.push(...(await writeChunk(chunk, { ...writer, resolve })))
    const held = new Set(outcomes.flatMap((each) => (waits(each, writer) ? [each.line] : [])))
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
    units += row.values.ok ? sizeOf(row.values.value) : 0
    if (chunk.length < rowsTogether && units < unitsTogether) continue
    yield chunk
    chunk = []
    units = 0
  }
  if (chunk.length > 0) yield chunk
}

/** Roughly, in characters. */
function sizeOf(values: Readonly<Record<string, unknown>>): number {
  let units = 0
  for (const value of Object.values(values))
    units += typeof value === 'string' ? value.length : typeof value === 'object' ? 100 : 10
  return units
}

interface RowWriter {
  readonly options: ImportOptions
  readonly table: Table
  readonly means: ImportMeans
  readonly resolve: ResolveNames
  readonly ignored: Set<string>
}

type Values = Readonly<Record<string, unknown>>
type Written = 'inserted' | 'updated' | 'skipped'
interface RowOutcome {
  readonly line: number
  readonly outcome: Result<Written, Problem>
}

/** @returns outcomes in the order of the lines */
async function writeChunk(chunk: readonly ImportRow[], writer: RowWriter): Promise<readonly RowOutcome[]> {
  const outcomes: RowOutcome[] = []
  const good: KeyedRow[] = []
  for (const { line, values } of chunk) {
    const named = values.ok ? await writer.resolve(withNumbersOf(writer.table, values.value)) : values
    const row = named.ok ? keyedRow(line, named.value, writer) : named
    if (row.ok) good.push(row.value)
    else outcomes.push({ line, outcome: row })
  }
  const { keys } = writer.options
  const write = async (): Promise<void> => {
    for (const turn of turnsOf(good)) outcomes.push(...(await writeTurn(turn, writer)))
  }
  if (keys.length === 0 || writer.means.seen !== null) await write()
  else await writer.means.alone(writer.table, write)
  return outcomes.toSorted((one, other) => one.line - other.line)
}

function withNumbersOf(table: Table, values: Values): Values {
  const entries = Object.entries(values)
  const readable = withReadableNumbers(entries, table)
  return readable === entries ? values : Object.fromEntries(readable)
}

interface KeyedRow {
  readonly line: number
  readonly values: Values
  /** null: the row is a record of its own. */
  readonly key: string | null
  /** Which records have this key; null without one. */
  readonly condition: ConditionTree | null
}

function keyedRow(line: number, values: Values, { options: { keys } }: RowWriter): Result<KeyedRow, Problem> {
  if (keys.length === 0) return succeed({ line, values, key: null, condition: null })
  const tests: ConditionTest[] = []
  for (const name of keys) {
    const value = values[name]
    if (value === undefined || value === null || value === '' || typeof value === 'object')
      return refuse({ kind: 'invalid-value', field: name, detail: 'is a key column; give it a value' })
    tests.push(equalsText([name], String(value)))
  }
  // Texts compare without case, so rows that differ by case alone are of one key.
  const key = JSON.stringify(keys.map((name) => String(values[name]).toLowerCase()))
  const [first, ...more] = tests
  return succeed({ line, values, key, condition: first === undefined ? null : allOf([first, ...more]) })
}

/** Rows of one key go one after the other: each into a turn of its own, the first into the first. */
function turnsOf(rows: readonly KeyedRow[]): readonly (readonly KeyedRow[])[] {
  const turns: KeyedRow[][] = []
  const seen = new Map<string, number>()
  for (const row of rows) {
    const turn = row.key === null ? 0 : (seen.get(row.key) ?? 0)
    if (row.key !== null) seen.set(row.key, turn + 1)
    const members = turns[turn] ?? []
    turns[turn] = members
    members.push(row)
  }
  return turns
}

async function writeTurn(rows: readonly KeyedRow[], writer: RowWriter): Promise<readonly RowOutcome[]> {
  const hits = await findHits(rows, writer)
  const outcomes: RowOutcome[] = []
  const fresh: NewRow[] = []
  const found: { readonly row: KeyedRow; readonly sysId: string }[] = []
  for (const row of rows) {
    const hit = hits.get(row.line) ?? succeed(null)
    const isNew = hit.ok && hit.value === null
    const body = hit.ok ? bodyOf(row.values, writer, isNew) : hit
    if (!body.ok) outcomes.push({ line: row.line, outcome: body })
    else if (isNew) fresh.push({ line: row.line, body: body.value })
    else if (hit.ok && hit.value !== null) found.push({ row, sysId: hit.value })
  }
  outcomes.push(...(await createRows(fresh, writer)))
  outcomes.push(
    ...(await eachOf(found, async (hit) => ({ line: hit.row.line, outcome: await changeRow(hit, writer) }))),
  )
  return writer.means.seen === null ? outcomes : rememberTurn(rows, outcomes, writer.means.seen)
}

/** What the turns and chunks to come would find in the database, if anything stayed there. */
function rememberTurn(
  rows: readonly KeyedRow[],
  outcomes: readonly RowOutcome[],
  seen: SeenInFile,
): readonly RowOutcome[] {
  const byLine = new Map(rows.map((row) => [row.line, row]))
  return outcomes
    .toSorted((one, other) => one.line - other.line)
    .map(({ line, outcome }) => {
      const row = byLine.get(line)
      if (row === undefined || !outcome.ok || outcome.value === 'skipped') return { line, outcome }
      const problem = seen.note(row.key ?? `line ${line}`, row.values)
      return { line, outcome: problem === null ? outcome : refuse(problem) }
    })
}

async function createRows(rows: readonly NewRow[], writer: RowWriter): Promise<readonly RowOutcome[]> {
  const { means } = writer
  if (rows.length === 0) return []
  const writes = rows.map(({ line, body }) => ({ number: line, ...writeOf(body, writer) }))
  const made = await means.records.createMany(writes, means.written)
  const rest = rows.filter(({ line }) => !made.has(line))
  const inserted = rows.filter(({ line }) => made.has(line)).map(({ line }) => ({ line, outcome: INSERTED }))
  const single = await eachOf(rest, async ({ line, body }): Promise<RowOutcome> => {
    const created = await means.records.create(writeOf(body, writer), means.written?.once(line))
    return { line, outcome: created.ok ? INSERTED : created }
  })
  return [...inserted, ...single]
}

const INSERTED: Result<Written, Problem> = succeed('inserted')

async function changeRow(
  { row, sysId }: { readonly row: KeyedRow; readonly sysId: string },
  writer: RowWriter,
): Promise<Result<Written, Problem>> {
  const { options, means } = writer
  if (options.onHit === 'skip') return succeed('skipped')
  const isOfThisFile = sysId === OF_THIS_FILE
  const body = bodyOf(row.values, writer, isOfThisFile)
  if (!body.ok) return body
  const write = writeOf(body.value, writer)
  // A dry run has no record to change where an earlier row would have made it: it looks whether these values could be made.
  const written = await (isOfThisFile ? means.records.create(write) : means.records.update(sysId, write))
  return written.ok ? succeed('updated') : written
}

const writeOf = (values: Values, { table, options: { inputDisplay, migrating } }: RowWriter): RecordWrite => ({
  table: table.name,
  values,
  fields: [table.keyColumn],
  inputDisplay,
  migrating,
})

// ── which records are there ──

/** Stands for a record that an earlier row would have made: a dry run keeps none. */
const OF_THIS_FILE = 'of this file'

type Hit = Result<string | null, Problem>

/** @returns by line: the one record with the row's key that the caller may read, null where there is none */
async function findHits(rows: readonly KeyedRow[], writer: RowWriter): Promise<ReadonlyMap<number, Hit>> {
  if (writer.options.keys.length === 0) return new Map()
  const { seen } = writer.means
  const known = new Set(rows.flatMap(({ key, line }) => (key !== null && seen?.isKnown(key) ? [line] : [])))
  const asked = rows.filter(({ line }) => !known.has(line))
  const found =
    (await findTogether(asked, writer)) ??
    (await eachOf(asked, async (row): Promise<[number, Hit]> => [row.line, await findHit(row, writer)]))
  return new Map<number, Hit>([...[...known].map((line): [number, Hit] => [line, succeed(OF_THIS_FILE)]), ...found])
}

/** Letters that every database folds as JavaScript does: of others, two keys may be one there and two here. */
const PLAIN = /^[ -~А-яЁё]+$/
const PLAIN_ID = /^[1-9]\d{0,17}$/
/** Of an answer; as many as are looked for at once and then some that share a key. */
const mostFound = 500

/** One question for many rows whose key is a text or a sys_id. @returns null: what it would say is not sure */
async function findTogether(
  rows: readonly KeyedRow[],
  { options: { keys }, table, means }: RowWriter,
): Promise<readonly (readonly [number, Hit])[] | null> {
  const [name = ''] = keys
  const column = table.columns.get(name)
  const family = column === undefined ? null : comparisonOf(column)
  const isPlain = family === 'text' ? PLAIN : family === 'id' ? PLAIN_ID : null
  const texts = rows.map(({ values }) => String(values[name]))
  if (keys.length > 1 || rows.length < 2 || isPlain === null) return null
  if (!texts.every((text) => isPlain.test(text) && !text.includes('@'))) return null
  const query = { where: isOneOf([name], texts), orders: [] }
  const list = { table: table.name, query, fields: [table.keyColumn, name], limit: mostFound }
  const found = await means.records.list(list)
  if (!found.ok) return null
  const data = found.value.records.rows()
  const ids = new Map<string, string>()
  for (const record of data) ids.set(String(record[name]).toLowerCase(), String(record[table.keyColumn]))
  const known = new Set(texts.map((text) => text.toLowerCase()))
  // One that is of no row, or shares its key with another.
  if (data.length === mostFound || ids.size < data.length || ![...ids.keys()].every((text) => known.has(text)))
    return null
  return rows.map(({ line }, at) => [line, succeed(ids.get((texts[at] ?? '').toLowerCase()) ?? null)])
}

async function findHit({ condition }: KeyedRow, { options, table, means }: RowWriter): Promise<Hit> {
  const query = { where: condition, orders: [] }
  const found = await means.records.list({ table: table.name, query, fields: [table.keyColumn], limit: 2 })
  // A wrong value of a key column is said of the column, not of a query that nobody wrote.
  if (!found.ok) return refuse(found.error.kind === 'bad-query' ? wrongKey(found.error, options) : found.error)
  const [first, second] = found.value.records.rows()
  if (second === undefined) return succeed(first === undefined ? null : String(first[table.keyColumn]))
  const detail = `is the key of more than one record (${options.keys.join(', ')})`
  return refuse({ kind: 'invalid-value', field: options.keys[0] ?? '', detail })
}

function wrongKey(problem: Problem & { readonly kind: 'bad-query' }, { keys }: ImportOptions): Problem {
  return { kind: 'invalid-value', field: problem.field ?? keys[0] ?? '', detail: problem.detail }
}

/** Does work for each, some at once. @returns what it gave, in their order */
async function eachOf<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < all.length; at = next++) {
      const one = all[at]
      if (one !== undefined) results[at] = await work(one)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker))
  return results
}

// ── bodies ──

/** What the server fills is left out and named: a file that was exported is imported again as it is. */
function bodyOf(values: Values, { options, table, ignored }: RowWriter, isNew: boolean): Result<Values, Problem> {
  const body: [string, unknown][] = []
  for (const [name, value] of Object.entries(values)) {
    const column = table.columns.get(name)
    // A key of several columns is given by these.
    const isKey = name === table.keyColumn && table.key.kind !== 'parts'
    if (column !== undefined && !isKey && isLeftOut(column, table, options)) {
      ignored.add(name)
      continue
    }
    if (options.migrating && column !== undefined && isJournal(column) && isNothing(value)) continue
    // Only an administrator gives a sys_id, and only to a new record; on a hit it is the record's own.
    if (isKey && (!isNew || value === null || value === '')) continue
    const read = options.isText && column !== undefined ? cellValue(value, column) : succeed(value)
    if (!read.ok) return read
    body.push([name, read.value])
  }
  return succeed(Object.fromEntries(body))
}

function isLeftOut(column: Column, table: Table, { migrating }: ImportOptions): boolean {
  if (migrating && mayMigrate(column, table)) return false
  return column.readOnly || SYSTEM_COLUMNS.has(column.name)
}

const isNothing = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** A cell as a value of a JSON body; the record service reads texts of numbers, booleans and dates itself. */
function cellValue(given: unknown, column: Column): Result<unknown, Problem> {
  if (given === null || given === undefined) return succeed(null)
  if (typeof given === 'object') return succeed(given)
  const text = String(given)
  // Of several records without a value, none may stand in the way of the other.
  if (text === '') return succeed(comparisonOf(column) === 'text' && !column.unique ? '' : null)
  const { cell } = columnTypeOf(column).write
  if (cell !== 'json' && !(cell === 'array' && text.startsWith('['))) return succeed(text)
  try {
    const parsed = parseExactJson(text)
    return succeed(cell === 'json' ? parsed : withDigitsAsText(parsed))
  } catch {
    return refuse({ kind: 'invalid-value', field: column.name, detail: 'is no JSON' })
  }
}
