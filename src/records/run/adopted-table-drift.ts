import { sql } from 'kysely'
import type { Catalog, Table } from '../../catalog/catalog.ts'
import { comparisonOf } from '../../column-types/column-types.ts'
import { CASTS } from '../../column-types/comparison-types.ts'
import { compileSql } from '../../database/database.ts'
import { type DatabaseFailure, databaseFailureOf } from '../../database/database-failure.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result } from '../../kernel/result.ts'
import type { RecordDeps } from '../record-deps.ts'
import { placeOf, storageOf } from '../sql/adopted-storage.ts'

/**
 * Adopted tables belong to somebody else, who may rename, change and drop them while Docket runs. A statement that fails then
 * is no fault of ours, of the caller or of other tables.
 */

/** Undefined column, undefined table, another type, none that compares or converts, no right. */
const DRIFT: ReadonlySet<string> = new Set(['42703', '42P01', '42804', '42883', '42846', '42501'])

/**
 * Which of the adopted tables that a failed statement names are not in the database as the dictionary says; they are marked.
 * None: the statement is wrong by itself.
 */
export async function findDrifted(
  deps: RecordDeps,
  failure: DatabaseFailure,
  failed: { readonly text: string; readonly catalog: Catalog },
): Promise<{ readonly drifted: readonly Table[]; readonly isNews: boolean }> {
  const named = DRIFT.has(failure.code) ? adoptedTablesIn(failed) : []
  const drifted: Table[] = []
  for (const table of named) if (!(await fits(deps, table))) drifted.push(table)
  return { drifted, isNews: deps.catalog.markDrifted(new Set(drifted.map(({ name }) => name)), true) }
}

/** @param mayKnow whether the caller may read of a table at all; others are not named */
export function driftProblem(drifted: readonly Table[], mayKnow: (table: Table) => boolean): Problem {
  const names = drifted.filter(mayKnow).map(({ name }) => name)
  const what = names.length === 0 ? 'an adopted table' : `the adopted table ${names.join(', ')}`
  return {
    kind: 'unavailable',
    detail: `${what} is not in the database as it was; docket adopt has to run again`,
    retryAfterSeconds: 60,
  }
}

/**
 * For work on all tables at once, such as what belongs to records: it is done again without those that turn out to be astray.
 *
 * @param work reads the dictionary anew each time
 */
export async function withoutDrifted<T>(deps: RecordDeps, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const failure = databaseFailureOf(error)
    if (failure === null || !DRIFT.has(failure.code)) throw error
    const catalog = await deps.catalog.current()
    const adopted = [...catalog.tables.values()].filter((table) => table.adopted !== null)
    const drifted = new Set<string>()
    for (const table of adopted) if (!(await fits(deps, table))) drifted.add(table.name)
    if (!deps.catalog.markDrifted(drifted, true)) throw error
    return work()
  }
}

/** For work on one table: a refusal where that is astray. */
export async function unlessDrifted<T>(
  deps: RecordDeps,
  name: string,
  work: () => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  try {
    return await withoutDrifted(deps, work)
  } catch (error) {
    const table = (await deps.catalog.current()).tables.get(name)
    if (databaseFailureOf(error) === null || table == null || table.adopted === null) throw error
    if (await fits(deps, table)) throw error
    return fail(driftProblem([table], () => true))
  }
}

function adoptedTablesIn({ text, catalog }: { readonly text: string; readonly catalog: Catalog }): readonly Table[] {
  return [...catalog.tables.values()].filter(
    (table) => table.adopted !== null && text.includes(compileSql(sql`${placeOf(table)}`).sql),
  )
}

/** Has PostgreSQL read the table as every statement does, each column beside a value of the dictionary's type, and no row of it. */
export async function fits(deps: RecordDeps, table: Table): Promise<boolean> {
  const columns = [...table.columns.values()].flatMap((column) => {
    if (column.storage === null) return []
    const [value, comparison] = [sql.id('t', column.storage), comparisonOf(column)]
    return [comparison === 'key' ? sql`${value} is null` : sql`${value} is distinct from null::${CASTS[comparison]}`]
  })
  try {
    await deps.database.rows(
      sql`select from ${storageOf(table)} as t where false and (${sql.join(columns, sql` or `)})`,
    )
    return true
  } catch (error) {
    const failure = databaseFailureOf(error)
    if (failure === null || !DRIFT.has(failure.code)) throw error
    return false
  }
}
