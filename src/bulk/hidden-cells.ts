import { isOneOf } from '../condition/literal-checks.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, succeed } from '../kernel/result.ts'
import { OF_THIS_FILE } from './find-existing-records.ts'
import type { ImportJob, Values } from './import-job.ts'
import type { KeyedRow } from './keyed-row.ts'

/** A row, and the record that it changes. */
export interface FoundRow {
  readonly row: KeyedRow
  readonly sysId: string
}

/**
 * Leaves out empty cells of values that the caller may not see on the record: an export writes such cells for them, and its file must not
 * delete what its reader has never seen.
 */
export async function withoutHiddenCells(
  rows: readonly FoundRow[],
  job: ImportJob,
): Promise<Result<readonly FoundRow[], Problem>> {
  const { table, deps } = job
  const columns = [...deps.partlyReadable].filter((name) => rows.some(({ row }) => isEmptyCell(row.values, name)))
  const ids = rows.flatMap(({ sysId }) => (sysId === OF_THIS_FILE ? [] : [sysId]))
  if (columns.length === 0 || ids.length === 0) return succeed(rows)
  const query = { where: isOneOf([table.keyColumn], ids), orders: [] }
  const fields = [table.keyColumn, ...columns.filter((name) => name !== table.keyColumn)]
  const found = await deps.records.list({ table: table.name, query, fields, limit: ids.length })
  if (!found.ok) return found
  const visible = new Map(found.value.records.rows().map((record) => [String(record[table.keyColumn]), record]))
  return succeed(
    rows.map(({ row, sysId }) => {
      if (sysId === OF_THIS_FILE) return { row, sysId }
      const record = visible.get(sysId) ?? {}
      const hidden = columns.filter((name) => !Object.hasOwn(record, name) && isEmptyCell(row.values, name))
      const values = Object.fromEntries(Object.entries(row.values).filter(([name]) => !hidden.includes(name)))
      return { row: { ...row, values }, sysId }
    }),
  )
}

/** A cell without anything in it: `""` is a text without characters. */
const isEmptyCell = (values: Values, name: string): boolean => Object.hasOwn(values, name) && values[name] === null
