import type { ImportJobDeps, ImportOptions, ImportOutcome, ImportRow } from '../../bulk/import-job.ts'
import { importRows } from '../../bulk/import-rows.ts'
import type { Catalog, Table } from '../../catalog/catalog.ts'
import { GIVEN_ID } from '../../catalog/given-ids.ts'
import type { Names } from '../../catalog/vocabulary.ts'
import type { Reader } from '../../column-types/column-type.ts'
import { equalsText } from '../../condition/literal-checks.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { readExportedValues } from '../../now/read-exported-values.ts'
import type { RecordService } from '../../records/record-service.ts'
import { addGivenIds } from './given-id-columns.ts'
import { ENTRIES, importEntry } from './import-entries.ts'
import { type ExportedRecord, InvalidUnload } from './read-unload.ts'
import type { NowDeps } from './table-endpoints.ts'

export interface UnloadDeps extends NowDeps {
  readonly runExclusive: ImportJobDeps['runExclusive']
}

/** Who imports. */
export interface Importer {
  readonly records: RecordService
  readonly reader: Reader
}

export interface UnloadOutcome extends Omit<ImportOutcome, 'errors'> {
  /** The first errors; `table` as in the file. */
  readonly errors: readonly { readonly table: string; readonly line: number; readonly problem: Problem }[]
  /** Names of authors that no user has. */
  readonly unknownAuthors: readonly string[]
}

/** Records that are written together, of one table; and journal entries. */
const rowsTogether = 1_000
/** Rows that wait for records further down in the file, likewise entries; and errors that are reported. */
const maxWaiting = 20_000
const maxErrors = 1_000

/** An entry of a record, or of a table of ids, that the file has further down. */
const mayComeLater = ({ kind }: Problem): boolean => kind === 'record-not-found'

/**
 * Writes the records of an exported file, with their sys_ids, numbers, times and authors. A record with a known sys_id is written
 * again. What refers to a record further down in the file is tried again at the end. A file of any size is written while it is read: if it
 * is cut off, the records before are written.
 */
export async function importUnload(
  exported: AsyncIterable<ExportedRecord>,
  defaultTable: string,
  ground: { readonly deps: UnloadDeps; readonly importer: Importer },
): Promise<Result<UnloadOutcome, Problem>> {
  const unload = new Unload(ground.deps, ground.importer)
  try {
    for await (const record of exported) {
      const added = await unload.add({ ...record, table: record.table || defaultTable })
      if (!added.ok) return added
    }
  } catch (error) {
    if (error instanceof InvalidUnload) return fail(unload.withWritten(error.problem))
    throw error
  }
  return unload.end()
}

class Unload {
  readonly #deps: UnloadDeps
  readonly #importer: Importer
  readonly #batches = new Map<string, ExportedRecord[]>()
  readonly #users = new Map<string, string>()
  readonly #unknownAuthors = new Set<string>()
  readonly #ignored = new Set<string>()
  readonly #counts = { inserted: 0, updated: 0, skipped: 0, failed: 0 }
  readonly #errors: { table: string; line: number; problem: Problem }[] = []
  #entries: ExportedRecord[] = []
  #waiting: ExportedRecord[] = []
  #waitingEntries: ExportedRecord[] = []

  constructor(deps: UnloadDeps, importer: Importer) {
    this.#deps = deps
    this.#importer = importer
  }

  async add(record: ExportedRecord): Promise<Result<null, Problem>> {
    if (record.table === '') return fail({ kind: 'table-not-found', table: '', similar: [] })
    if (record.table === ENTRIES) {
      this.#entries.push(record)
      return this.#entries.length < rowsTogether ? succeed(null) : this.#writeEntries()
    }
    const batch = this.#batches.get(record.table) ?? []
    this.#batches.set(record.table, batch)
    batch.push(record)
    return batch.length < rowsTogether ? succeed(null) : this.#write(record.table)
  }

  /** Says what was written before the problem. */
  withWritten(problem: Problem): Problem {
    const written = this.#counts.inserted + this.#counts.updated
    if (written === 0 || problem.kind !== 'bad-body') return problem
    const before = `${written} records before this are written; import the whole file again: no record with a sys_id will be there twice`
    return { ...problem, found: `${problem.found}; ${before}` }
  }

  async end(): Promise<Result<UnloadOutcome, Problem>> {
    const first = await this.#writeBatches()
    if (!first.ok) return first
    for (let before = Number.POSITIVE_INFINITY; this.#waiting.length > 0 && this.#waiting.length < before; ) {
      before = this.#waiting.length
      const again = await this.#writeWaiting()
      if (!again.ok) return again
    }
    const last = await this.#writeWaiting(true)
    if (!last.ok) return last
    // Their records are all there by now.
    this.#entries.push(...this.#waitingEntries)
    const entries = await this.#writeEntries(true)
    if (!entries.ok) return entries
    const unknownAuthors = [...this.#unknownAuthors]
    const errors = this.#errors.toSorted((one, other) => one.line - other.line)
    return succeed({
      ...this.#counts,
      errors,
      ignoredColumns: [...this.#ignored].sort(),
      unknownAuthors: unknownAuthors.sort(),
    })
  }

  async #writeBatches(): Promise<Result<null, Problem>> {
    for (const table of this.#batches.keys()) {
      const written = await this.#write(table)
      if (!written.ok) return written
    }
    return succeed(null)
  }

  /** Writes the entries read so far, and the records before them. Those of records further down in the file wait. */
  async #writeEntries(isLast = false): Promise<Result<null, Problem>> {
    const entries = this.#entries
    this.#entries = []
    const before = entries.length === 0 ? succeed(null) : await this.#writeBatches()
    if (!before.ok) return before
    await this.#findUsers(entries)
    const userOf = (name: string): string | null => this.#users.get(name) ?? null
    for (const record of entries) {
      const written = await importEntry(record, { deps: this.#deps, service: this.#importer.records, userOf })
      if (written.ok) this.#counts.inserted += 1
      else if (!isLast && mayComeLater(written.error) && this.#waitingEntries.length < maxWaiting)
        this.#waitingEntries.push(record)
      else this.#fail(record, written.error)
    }
    return succeed(null)
  }

  #fail({ table, line }: ExportedRecord, problem: Problem): void {
    this.#counts.failed += 1
    if (this.#errors.length < maxErrors) this.#errors.push({ table, line, problem })
  }

  /** A file of an instance has records of tables that are not here: the others are written. */
  #failAll(records: readonly ExportedRecord[], problem: Problem): Result<null, Problem> {
    if (problem.kind !== 'table-not-found') return fail(problem)
    for (const record of records) this.#fail(record, problem)
    return succeed(null)
  }

  async #writeWaiting(isLast = false): Promise<Result<null, Problem>> {
    const waiting = Map.groupBy(this.#waiting, ({ table }) => table)
    this.#waiting = []
    for (const [table, records] of waiting) {
      // An import reports as many errors as one batch has rows.
      for (let at = 0; at < records.length; at += rowsTogether) {
        this.#batches.set(table, records.slice(at, at + rowsTogether))
        const written = await this.#write(table, isLast)
        if (!written.ok) return written
      }
    }
    return succeed(null)
  }

  async #write(name: string, isLast = false): Promise<Result<null, Problem>> {
    const records = this.#batches.get(name) ?? []
    this.#batches.set(name, [])
    if (records.length === 0) return succeed(null)
    const opened = await this.#open(name)
    if (!opened.ok) return this.#failAll(records, opened.error)
    const { table, catalog, names } = opened.value
    await this.#findUsers(records)
    const rows = records.map((record) => this.#rowOf(record, table, names))
    const isOwn = ({ values }: ImportRow): boolean => values.ok && table.keyColumn in values.value
    const [own, others] = [rows.filter(isOwn), rows.filter((row) => !isOwn(row))]
    for (const [members, options] of [
      [others, optionsOf(table)],
      [own, { ...optionsOf(table), keys: [table.keyColumn] }],
    ] as const) {
      const outcome = await importRows(eachOf(members), options, {
        catalog,
        records: this.#importer.records,
        reader: this.#importer.reader,
        partlyReadable: new Set(),
        writtenBefore: null,
        written: null,
        keyed: null,
        runExclusive: this.#deps.runExclusive,
        seen: null,
      })
      if (!outcome.ok) return outcome
      this.#count(outcome.value, records, isLast)
    }
    return succeed(null)
  }

  /** The table of records; their ids can be kept from now on. */
  async #open(name: string): Promise<Result<{ table: Table; catalog: Catalog; names: Names }, Problem>> {
    const { records: deps, face } = this.#deps
    const before = face.namesIn(await deps.catalog.upToDate()).tableNamed(name)
    if (before === undefined) return fail({ kind: 'table-not-found', table: name, similar: [] })
    const added = await addGivenIds(this.#deps, this.#importer.records, before)
    if (!added.ok) return added
    const catalog = await deps.catalog.upToDate()
    const table = catalog.tables.get(before.name)
    if (table === undefined) return fail({ kind: 'table-not-found', table: name, similar: [] })
    return succeed({ table, catalog, names: face.namesIn(catalog) })
  }

  #rowOf({ line, values, isDeletion }: ExportedRecord, table: Table, names: Names): ImportRow {
    if (isDeletion) {
      const found = 'action="DELETE"'
      return { line, values: fail({ kind: 'bad-body', expected: 'records to be written', found }) }
    }
    const read = readExportedValues(values, table, { names, userOf: (name) => this.#users.get(name) ?? null })
    for (const each of read.ignored) this.#ignored.add(each)
    return { line, values: succeed(read.values) }
  }

  /** Authors are named by `user_name`. */
  async #findUsers(records: readonly ExportedRecord[]): Promise<void> {
    const authors = records.flatMap(({ values }) => [values['sys_created_by'], values['sys_updated_by']])
    for (const name of new Set(authors)) {
      if (name === undefined || name === '' || this.#users.has(name)) continue
      const query = { where: equalsText(['user_name'], name), orders: [] }
      const found = await this.#importer.records.list({ table: 'user', query, fields: ['sys_id'], limit: 1 })
      const [row] = found.ok ? found.value.records.rows() : []
      // Looked up again for other records: the user may be further down in the file.
      if (row === undefined) this.#unknownAuthors.add(name)
      else this.#users.set(name, String(row['sys_id']))
    }
  }

  #count(outcome: ImportOutcome, records: readonly ExportedRecord[], isLast: boolean): void {
    const { inserted, updated, skipped, failed } = outcome
    this.#counts.inserted += inserted
    this.#counts.updated += updated
    this.#counts.skipped += skipped
    for (const each of outcome.ignoredColumns) this.#ignored.add(each)
    const byLine = new Map(records.map((record) => [record.line, record]))
    const waiting = outcome.errors.filter(({ problem }) => !isLast && problem.kind === 'invalid-value')
    const held = waiting.slice(0, maxWaiting - this.#waiting.length)
    this.#waiting.push(...held.flatMap(({ line }) => byLine.get(line) ?? []))
    this.#counts.failed += failed - held.length
    for (const { line, problem } of outcome.errors)
      if (!held.some((each) => each.line === line) && this.#errors.length < maxErrors)
        this.#errors.push({ table: byLine.get(line)?.table ?? '', line, problem })
  }
}

async function* eachOf<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}

/** Tables that take no column of others; their records are told apart by what they connect. */
const CONNECTIONS: Readonly<Record<string, readonly string[]>> = {
  sys_user_group: ['user_id', 'group_id'],
  sys_user_has_role: ['user_id', 'role_id'],
  sys_group_has_role: ['group_id', 'role_id'],
}

const optionsOf = ({ name, key }: Table): ImportOptions => ({
  table: name,
  keys: key.given === undefined ? (CONNECTIONS[name] ?? []) : [GIVEN_ID],
  onHit: 'update',
  onMiss: 'create',
  isText: true,
  migrating: true,
  inputDisplay: false,
})
