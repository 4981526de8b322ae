import type { Catalog } from '../../catalog/catalog.ts'
import { trigramOperators } from '../../catalog/change/make-index.ts'
import type { Database } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'
import { writeIndexStatement } from './index-statement.ts'
import type { ProposedIndex } from './propose-indexes.ts'
import { percentileOf } from './statement-times.ts'

/** A shape of slow requests, with the current state of its indexes. The members are those of `docket records slow --json`. */
export interface SlowRequest {
  readonly table: string
  readonly operation: string
  readonly shape: string
  readonly has_total: boolean
  readonly has_rule: boolean
  readonly page: string | null
  readonly runs: number
  readonly slow_runs: number
  readonly total_ms: number
  readonly p95_ms: number
  readonly max_ms: number
  /** Average of a run of a list; null: the operation is not a list. */
  readonly rows_returned: number | null
  /** Of one run; null: unknown. */
  readonly rows_read: number | null
  readonly pages_read: number | null
  readonly first_at: string
  readonly last_at: string
  readonly indexes: readonly HelpfulIndex[]
}

export interface HelpfulIndex {
  readonly table: string
  readonly column_names: readonly string[]
  readonly purpose: ProposedIndex['purpose']
  /** `proposed`: the index does not exist; otherwise the state of the existing one. */
  readonly state: string
  /** A command that creates it, or SQL for an adopted table. null: it exists, or cannot be created. */
  readonly statement: string | null
}

interface StoredRow {
  readonly table_name: string
  readonly operation: string
  readonly shape: string
  readonly has_total: boolean
  readonly has_rule: boolean
  readonly page: string | null
  readonly runs: string
  readonly slow_runs: string
  readonly total_ms: string
  readonly max_ms: string
  readonly histogram: readonly number[]
  readonly rows_returned: string
  readonly rows_read: string | null
  readonly pages_read: string | null
  readonly first_at: string
  readonly last_at: string
  readonly indexes: readonly ProposedIndex[]
}

/** The shapes with the longest total time, longest first. @param wanted `table`: only its shapes; null: of all tables */
export async function listSlowRequests(
  database: Database,
  catalog: Catalog,
  wanted: { readonly table: string | null; readonly limit: number },
): Promise<readonly SlowRequest[]> {
  const stored = await database.rows(sql<StoredRow>`
    select table_name, operation, shape, has_total, has_rule, page, runs, slow_runs, total_ms, max_ms, to_json(histogram) as histogram,
      rows_returned, rows_read, pages_read, first_at, last_at, indexes
    from docket_system.slow_request
    where ${wanted.table}::text is null or table_name = ${wanted.table}::text
    order by total_ms desc, id limit ${wanted.limit}::integer`)
  const known = { catalog, built: await readBuilt(database), trigrams: await trigramOperators(database) }
  return stored.map((row) => describe(row, known))
}

/** Deletes all shapes. @returns how many were deleted */
export async function clearSlowRequests(database: Database): Promise<number> {
  return (await database.rows(sql`delete from docket_system.slow_request returning id`)).length
}

interface Known {
  readonly catalog: Catalog
  readonly built: readonly BuiltIndex[]
  readonly trigrams: string | null
}

interface BuiltIndex {
  readonly table: string
  readonly column_names: readonly string[]
  readonly purpose: string
  readonly state: string
}

const readBuilt = (database: Database): Promise<readonly BuiltIndex[]> =>
  database.rows(sql<BuiltIndex>`
    select t.name as table, i.column_names, i.purpose, i.state
    from docket.sys_db_index i join docket.sys_db_table t on t.sys_id = i.table_id order by i.sys_id`)

function describe(row: StoredRow, known: Known): SlowRequest {
  const { histogram, indexes, operation } = row
  const runs = Number(row.runs)
  const maxMs = Number(row.max_ms)
  return {
    table: row.table_name,
    operation,
    shape: row.shape,
    has_total: row.has_total,
    has_rule: row.has_rule,
    page: row.page,
    runs,
    slow_runs: Number(row.slow_runs),
    total_ms: tenths(Number(row.total_ms)),
    p95_ms: tenths(percentileOf(histogram, maxMs, 0.95)),
    max_ms: tenths(maxMs),
    rows_returned: operation === 'list' && runs > 0 ? tenths(Number(row.rows_returned) / runs) : null,
    rows_read: row.rows_read === null ? null : Number(row.rows_read),
    pages_read: row.pages_read === null ? null : Number(row.pages_read),
    first_at: row.first_at,
    last_at: row.last_at,
    indexes: indexes.flatMap((index) => helpful(index, known)),
  }
}

const tenths = (value: number): number => Math.round(value * 10) / 10

/** Empty if the dictionary no longer has the table or a column. */
function helpful(index: ProposedIndex, { catalog, built, trigrams }: Known): readonly HelpfulIndex[] {
  const table = catalog.tables.get(index.table)
  if (table === undefined || !index.columns.every((name) => table.columns.has(name))) return []
  const there = built.find(
    ({ table: name, purpose, column_names: columns }) =>
      purpose === index.purpose && isSameStorage(catalog, name, index.table) && beginsWith(columns, index.columns),
  )
  const described = { table: index.table, column_names: index.columns, purpose: index.purpose }
  if (there !== undefined) return [{ ...described, state: there.state, statement: null }]
  return [{ ...described, state: 'proposed', statement: writeIndexStatement(index, table, trigrams) }]
}

function isSameStorage({ tables }: Catalog, one: string, other: string): boolean {
  const [first, second] = [tables.get(one)?.storage, tables.get(other)?.storage]
  return first !== undefined && first.schema === second?.schema && first.table === second.table
}

const beginsWith = (columns: readonly string[], first: readonly string[]): boolean =>
  first.every((name, at) => columns[at] === name)
