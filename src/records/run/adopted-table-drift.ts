import type { Catalog, Table } from '../../catalog/catalog.ts'
import { comparisonOf } from '../../column-types/column-types.ts'
import { CASTS } from '../../column-types/comparison-types.ts'
import { CHANGED_TABLE, type DatabaseFailure, databaseFailureOf } from '../../database/database-failure.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result } from '../../kernel/result.ts'
import { compileSql, sql } from '../../kernel/sql.ts'
import type { RecordDeps } from '../record-deps.ts'
import { placeOf, storageOf } from '../sql/adopted-storage.ts'

/**
 * Adopted tables have another owner, who may rename, change and drop them while Docket runs. If a statement fails because of that,
 * this is neither an internal error nor an error of the caller, and requests to other tables must not fail.
 */

/**
 * Finds the adopted tables of a failed statement that no longer match the dictionary, and marks them as drifted. If there is none, the
 * statement itself is wrong, or the owner has changed them back meanwhile (`mayBeRestored`).
 */
export async function findDrifted(
  deps: RecordDeps,
  failure: DatabaseFailure,
  failed: { readonly text: string; readonly catalog: Catalog },
): Promise<{ readonly drifted: readonly Table[]; readonly isNews: boolean; readonly mayBeRestored: boolean }> {
  const named = CHANGED_TABLE.has(failure.code) ? adoptedTablesIn(failed) : []
  const drifted: Table[] = []
  for (const table of named) if (!(await fits(deps, table))) drifted.push(table)
  const isNews = deps.catalog.markDrifted(new Set(drifted.map(({ name }) => name)), true)
  return { drifted, isNews, mayBeRestored: named.length > 0 && drifted.length === 0 }
}

/** @param mayKnow whether the caller may read at least some rows of a table; other tables are not named */
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
 * For work on all tables at once, such as on dependent rows of records: it is repeated without the tables that turn out to have drifted.
 *
 * @param work reads the current dictionary each time
 */
export async function withoutDrifted<T>(deps: RecordDeps, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const failure = databaseFailureOf(error)
    if (failure === null || !CHANGED_TABLE.has(failure.code)) throw error
    const catalog = await deps.catalog.current()
    const adopted = [...catalog.tables.values()].filter((table) => table.adopted !== null)
    const drifted = new Set<string>()
    for (const table of adopted) if (!(await fits(deps, table))) drifted.add(table.name)
    const isNews = deps.catalog.markDrifted(drifted, true)
    // If none has drifted, an owner may have changed one back meanwhile, or a table of Docket's own was dropped.
    if (!isNews && drifted.size > 0) throw error
    return work()
  }
}

/** For work on one table: an error if it has drifted. */
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

/** Whether PostgreSQL accepts a statement that compares each column with a value of its dictionary type. The statement reads no row. */
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
    if (failure === null || !CHANGED_TABLE.has(failure.code)) throw error
    return false
  }
}
