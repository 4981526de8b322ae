import type { ArrowTable } from './import-lancedb.ts'

/**
 * Where the chunks of a table are. A row has an id of LanceDB: the number of its fragment, and its place there. Chunks are written in their
 * order, so one row of a fragment tells the numbers of all its chunks (`checkOrder`).
 */
export class TableFragments {
  /** The number of the chunk at the beginning of each fragment. */
  readonly #first = new Map<number, number>()

  /** @returns the id of one row for each fragment that is not known yet */
  unknownIn(rowIds: BigUint64Array): readonly bigint[] {
    const halves = halvesOf(rowIds)
    const unknown = new Map<number, bigint>()
    for (let at = 0; at < rowIds.length; at++) {
      const fragment = halves[at * 2 + 1] ?? 0
      if (!this.#first.has(fragment)) unknown.set(fragment, rowIds[at] ?? 0n)
    }
    return [...unknown.values()]
  }

  /**
   * @param rows with the columns `chunk` and `_rowid`
   * @throws Error when these are not as all others of their fragments
   */
  learn(rows: ArrowTable): void {
    const chunks = columnOf(rows, 'chunk', Uint32Array)
    const halves = halvesOf(columnOf(rows, '_rowid', BigUint64Array))
    for (const [at, chunk] of chunks.entries()) {
      const fragment = halves[at * 2 + 1] ?? 0
      const first = chunk - (halves[at * 2] ?? 0)
      if ((this.#first.get(fragment) ?? first) !== first)
        throw new Error('LanceDB changed the order of the chunks of a table')
      this.#first.set(fragment, first)
    }
  }

  chunksAt(rowIds: BigUint64Array): Uint32Array {
    const halves = halvesOf(rowIds)
    const chunks = new Uint32Array(rowIds.length)
    for (let at = 0; at < chunks.length; at++)
      chunks[at] = (this.#first.get(halves[at * 2 + 1] ?? 0) ?? 0) + (halves[at * 2] ?? 0)
    return chunks
  }
}

/** For each id, the place and the number of the fragment. */
function halvesOf({ buffer, byteOffset, length }: BigUint64Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length * 2)
}

type NumberColumn = Uint32Array | Float32Array | BigUint64Array

/** A column of numbers; without rows it may be absent. */
export function columnOf<Column extends NumberColumn>(
  found: ArrowTable,
  name: string,
  type: new (length: number) => Column,
): Column {
  return found.numRows === 0 ? new type(0) : (found.getChild(name)?.toArray() as Column)
}
