import { randomKey } from 'docket-client'
import { docket } from '../docket.ts'
import type { TableInfo } from '../table/table-info.ts'
import { hasState, type PastedRow, type PlacedBlock, readPasted, valuesOf } from './paste-block.ts'

export interface PasteRun {
  readonly info: TableInfo
  readonly signal: AbortSignal
  readonly onProgress: (done: number) => void
}

/** Reads the records of the block and tries all values: nothing is written. */
export async function checkBlock(block: PlacedBlock, run: PasteRun): Promise<readonly PastedRow[]> {
  const rows: PastedRow[] = []
  for (let at = 0; at < block.rows.length; at += readTogether) {
    const next = block.rows.slice(at, at + readTogether)
    rows.push(...(await Promise.all(next.map((row) => readPasted(run.info, row, block.columns, run.signal)))))
    run.onProgress(rows.length)
  }
  return tried(rows, run)
}

const readTogether = 5

/** A row reports one error at a time, so a rejected cell is left out and the rest of its row is tried again. */
async function tried(rows: readonly PastedRow[], run: PasteRun): Promise<readonly PastedRow[]> {
  const results = [...rows]
  let pending = rows.flatMap((row, at) => (hasState(row, 'change') ? [at] : []))
  while (pending.length > 0) {
    const errors = await tryRows(
      pending.flatMap((at) => results[at] ?? []),
      run,
    )
    const failed = pending.filter((_, index) => errors.has(index + 1))
    for (const [index, at] of pending.entries()) {
      const row = results[at]
      const error = errors.get(index + 1)
      if (row !== undefined && error !== undefined) results[at] = withError(row, error)
    }
    pending = failed.filter((at) => results[at] !== undefined && hasState(results[at], 'change'))
  }
  return results
}

interface RowFault {
  readonly line: number
  readonly message: string
  readonly field?: string
}

/** @returns errors by the number of the row, from 1 */
async function tryRows(rows: readonly PastedRow[], { info, signal }: PasteRun): Promise<ReadonlyMap<number, RowFault>> {
  const { errors } = await docket.request<{ readonly errors: readonly RowFault[] }>({
    method: 'POST',
    path: `/rest/v1/import/${encodeURIComponent(info.entry.name)}?key=sys_id&on_miss=reject&sysparm_input_display_value=1&dry_run=1`,
    body: rows.map((row) => JSON.stringify({ sys_id: row.sysId, ...valuesOf(row) })).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
    idempotencyKey: randomKey(),
    signal,
  })
  return new Map(errors.map((error) => [error.line, error]))
}

/** An error without a column of the block is one of the whole row. */
function withError(row: PastedRow, { field, message }: RowFault): PastedRow {
  const isNamed = row.cells.some(({ column, state }) => column.path === field && state === 'change')
  const cells = row.cells.map((cell) =>
    cell.state === 'change' && (!isNamed || cell.column.path === field)
      ? { ...cell, state: 'invalid' as const, reason: message }
      : cell,
  )
  return { ...row, cells }
}
