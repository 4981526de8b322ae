/** A block of a list as it was read: rows from an offset, and before them the last row of the block before (null: the block is the first). */
export interface ReadBlock<Row> {
  readonly block: number
  readonly rows: readonly Row[]
  /** What was in the last row of the block before when this one was read. */
  readonly before: Row | null
  /** The list ends with it. */
  readonly isLast: boolean
}

export interface PlacedBlocks<Row> {
  readonly rows: ReadonlyMap<number, Row>
  /** Number of rows; null: the block at the end of the list is not read. */
  readonly end: number | null
  /** Rows were added or removed between the reads of blocks that are beside each other: some came twice, or not at all. */
  readonly isShifted: boolean
}

/**
 * Puts blocks that were read one after the other into one list. Others may have added and removed records meanwhile, which moves all rows
 * behind them: a row that comes twice is displayed once, where it came first, and the rows behind it move up.
 */
export function placeBlocks<Row>(
  blocks: readonly ReadBlock<Row>[],
  blockRows: number,
  idOf: (row: Row) => string,
): PlacedBlocks<Row> {
  const rows = new Map<number, Row>()
  const seen = new Set<string>()
  let isShifted = false
  let next = 0
  let end: number | null = null
  let last: { readonly block: number; readonly sysId: string | null } | null = null
  for (const { block, rows: read, before, isLast } of blocks.toSorted((one, other) => one.block - other.block)) {
    const isNext = last !== null && last.block === block - 1
    if (!isNext) next = Math.max(next, block * blockRows)
    if (isNext && before !== null && last?.sysId !== idOf(before)) isShifted = true
    for (const row of read) {
      const sysId = idOf(row)
      if (seen.has(sysId)) {
        isShifted = true
        continue
      }
      seen.add(sysId)
      rows.set(next, row)
      next += 1
    }
    const lastRow = read.at(-1)
    last = { block, sysId: lastRow === undefined ? null : idOf(lastRow) }
    if (isLast) end = next
  }
  return { rows, end, isShifted }
}
