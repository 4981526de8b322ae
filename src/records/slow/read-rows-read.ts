import type { Database } from '../../database/database.ts'
import type { PreparedStatement } from '../../database/named-statement.ts'
import { planModeOf } from '../../database/plan-modes.ts'
import { sql } from '../../kernel/sql.ts'

/** What PostgreSQL reads in one run of a statement. */
export interface RowsRead {
  readonly rows: number
  readonly pages: number
}

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': unknown
  readonly 'Actual Loops': unknown
  readonly 'Rows Removed by Filter'?: unknown
  readonly 'Rows Removed by Index Recheck'?: unknown
  readonly 'Shared Hit Blocks'?: unknown
  readonly 'Shared Read Blocks'?: unknown
  readonly Plans?: readonly PlanNode[]
}

/** A longer read is not worth a second run, and a server that stops may have to wait for it. */
const MAX_MS = 5_000

/**
 * Runs a read once more under EXPLAIN (ANALYZE). Only numbers of rows and pages are taken from the result.
 *
 * @returns null if it failed or took longer than 5 seconds
 */
export async function readRowsRead(
  database: Database,
  { text, planning }: Pick<PreparedStatement, 'text' | 'planning'>,
  values: readonly unknown[],
): Promise<RowsRead | null> {
  const explained = `explain (analyze, buffers, timing off, costs off, format json) ${text}`
  try {
    const [row] = await database.inTransaction(async ({ rows, run }) => {
      await rows(sql`select set_config('statement_timeout', ${String(MAX_MS)}, true)`)
      const mode = planModeOf(planning)
      if (mode !== null) await rows(sql.raw(mode.text))
      return run({ name: 'docket_explain', text: explained, planning: 'unnamed' }, values)
    })
    const [plan] = (row?.[0] ?? []) as readonly { readonly Plan: PlanNode }[]
    if (plan === undefined) return null
    const { Plan: root } = plan
    const pages = numberOf(root['Shared Hit Blocks']) + numberOf(root['Shared Read Blocks'])
    return { rows: Math.round(rowsOf(root)), pages }
  } catch {
    return null
  }
}

/** Rows that the scans of tables read, including those that a filter removed. */
function rowsOf(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0)
  if (node['Relation Name'] === undefined) return below
  const looked = [node['Actual Rows'], node['Rows Removed by Filter'], node['Rows Removed by Index Recheck']]
  return below + looked.reduce<number>((sum, rows) => sum + numberOf(rows), 0) * numberOf(node['Actual Loops'])
}

const numberOf = (value: unknown): number => Number(value ?? 0)
