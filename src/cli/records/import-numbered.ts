import { added, type Mark, NOTHING } from './import-mark.ts'
import { batches, type NumberedRow } from './numbered-rows.ts'
import type { Rejected, Sent } from './send-rows.ts'

export interface ImportSteps {
  readonly isMigrating: boolean
  /** @param name the same for the same request of an import, also after a restart */
  send(batch: readonly NumberedRow[], name: string): Promise<Sent>
  /** Called before the first request and after each one. */
  keep(mark: Mark): Promise<void>
  reject(line: number, message: string): void
  isInterrupted(): boolean
}

/** The server's limit within one request. */
const maxWaiting = 20_000

/**
 * Sends the rows of a file, and continues after the requests that the mark knows. The process may end at any time: only one request
 * is not in the mark then, and it is sent again under the same name.
 */
export async function importNumbered(rows: AsyncIterable<NumberedRow>, begin: Mark, steps: ImportSteps): Promise<Mark> {
  const held = new Map<number, NumberedRow>()
  let mark = begin
  // Before anything is sent: rows that are written but not recorded are sent again under the same name.
  await steps.keep(mark)
  for await (const batch of batches(rowsAfter(rows, begin, held))) {
    if (steps.isInterrupted()) return mark
    const sent = await steps.send(batch, `${mark.id}-${mark.rows}`)
    const later = steps.isMigrating ? sent.rejected.slice(0, maxWaiting - mark.waiting.length) : []
    for (const { row } of later) held.set(row.number, row)
    for (const { row, message } of sent.rejected.slice(later.length)) steps.reject(row.line, message)
    mark = {
      ...mark,
      rows: mark.rows + batch.length,
      totals: added(mark.totals, { ...sent.totals, failed: sent.totals.failed - later.length }),
      waiting: [...mark.waiting, ...later.map(({ row }) => row.number)],
    }
    await steps.keep(mark)
  }
  return sendWaiting(mark, held, steps)
}

/** @param held takes the rows that wait */
async function* rowsAfter(
  rows: AsyncIterable<NumberedRow>,
  { rows: sent, waiting, rejected }: Mark,
  held: Map<number, NumberedRow>,
): AsyncGenerator<NumberedRow> {
  const numbers = new Set([...waiting, ...rejected.map(([number]) => number)])
  for await (const row of rows) {
    if (numbers.has(row.number)) held.set(row.number, row)
    if (row.number > sent) yield row
  }
}

/** Rows of a migration may refer to records further down in the file: they are sent in rounds, while a round writes some. */
async function sendWaiting(begin: Mark, held: ReadonlyMap<number, NumberedRow>, steps: ImportSteps): Promise<Mark> {
  let mark = begin
  while (mark.waiting.length > 0 && !steps.isInterrupted()) {
    const batch = await firstBatch(mark.waiting.flatMap((number) => held.get(number) ?? []))
    mark = afterRequest(mark, batch, await steps.send(batch, `${mark.id}-waiting-${mark.requests}`))
    await steps.keep(mark)
  }
  if (mark.waiting.length > 0) return mark
  for (const [number, message] of mark.rejected) steps.reject(held.get(number)?.line ?? number, message)
  return { ...mark, rejected: [], totals: added(mark.totals, { ...NOTHING, failed: mark.rejected.length }) }
}

async function firstBatch(rows: readonly NumberedRow[]): Promise<readonly NumberedRow[]> {
  for await (const batch of batches(rows)) return batch
  return []
}

function afterRequest(mark: Mark, batch: readonly NumberedRow[], sent: Sent): Mark {
  const rejected = [...mark.rejected, ...sent.rejected.map(asTuple)]
  const waiting = mark.waiting.slice(batch.length)
  const hasWritten = mark.hasWritten || sent.rejected.length < batch.length
  const next = {
    ...mark,
    requests: mark.requests + 1,
    totals: added(mark.totals, { ...sent.totals, failed: 0 }),
  }
  const isNextRound = waiting.length === 0 && hasWritten
  if (!isNextRound) return { ...next, waiting, rejected, hasWritten }
  return { ...next, waiting: rejected.map(([number]) => number), rejected: [], hasWritten: false }
}

const asTuple = ({ row, message }: Rejected): [number, string] => [row.number, message]
