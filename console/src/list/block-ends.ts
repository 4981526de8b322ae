/** Where a block ended when it was read. It stays when the rows are dropped, so that they can be read again, and the block behind them. */
export interface BlockEnd {
  /** After its last row; null: the list ends with it. */
  readonly cursor: string | null
  readonly sysIds: readonly string[]
}

export type BlockEnds = Map<number, BlockEnd>

const known = new WeakMap<object, Map<string, BlockEnds>>()

/** @param list key of a list in one order; its columns do not count */
export function endsOf(client: object, list: string): BlockEnds {
  const lists = known.get(client) ?? new Map<string, BlockEnds>()
  known.set(client, lists)
  const ends: BlockEnds = lists.get(list) ?? new Map()
  lists.set(list, ends)
  return ends
}

export function putEnd(ends: BlockEnds, block: number, end: BlockEnd): void {
  ends.set(block, end)
  if (end.cursor !== null) return
  for (const other of ends.keys()) if (other > block) ends.delete(other)
}

/** Number of rows that can be reached, and whether the list has no others. */
export function extentOf(ends: BlockEnds, blockRows: number): { readonly rows: number; readonly isWhole: boolean } {
  let last = -1
  for (const block of ends.keys()) last = Math.max(last, block)
  const end = ends.get(last)
  return end === undefined
    ? { rows: 0, isWhole: false }
    : { rows: last * blockRows + end.sysIds.length, isWhole: end.cursor === null }
}

export interface LoadedBlock extends BlockEnd {
  readonly block: number
  /** sys_id of the row that it was read after. */
  readonly before: string | null
  /** It was read more than once, as after a change. */
  readonly isReread: boolean
}

/**
 * Notes where loaded blocks end.
 *
 * @returns blocks to be read again, or dropped if the list ends before them: the block before each was read again, and ends elsewhere
 * now. A block that was dropped and comes back moves nothing that is in view: that it does not fit is reported.
 */
export function recordEnds(ends: BlockEnds, loaded: readonly LoadedBlock[]): readonly number[] {
  const after = new Map(loaded.map((each) => [each.block - 1, each]))
  const again: number[] = []
  let isWhole = false
  for (const { block, cursor, sysIds, isReread } of loaded.toSorted((one, other) => one.block - other.block)) {
    // It was read when the list was longer.
    if (isWhole) {
      again.push(block)
      continue
    }
    const next = after.get(block)
    const isJoined = next === undefined || next.before === (sysIds.at(-1) ?? null)
    if (!isJoined && !isReread) continue
    putEnd(ends, block, { cursor, sysIds })
    isWhole = cursor === null
    if (!isJoined && !isWhole) again.push(block + 1)
  }
  return again
}

/** The list ended before this block when it was read last. */
export function isBehindEnd(ends: BlockEnds, block: number, blockRows: number): boolean {
  const { rows, isWhole } = extentOf(ends, blockRows)
  return isWhole && block > 0 && block * blockRows >= rows
}

/** Blocks that leave the memory: those that are farthest from the ones in view. */
export function blocksToDrop(loaded: readonly number[], wanted: readonly number[], max: number): readonly number[] {
  const distance = (block: number): number => Math.min(...wanted.map((each) => Math.abs(each - block)))
  return loaded.toSorted((one, other) => distance(one) - distance(other)).slice(max)
}
