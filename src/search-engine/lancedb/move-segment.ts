import { randomUUID } from 'node:crypto'
import type { MoveOutcome, MoveRequest } from '../search-engine.ts'
import type { SegmentSwap } from '../segments/index-change.ts'
import { mergeSegments } from '../segments/merge-segments.ts'
import { openSegment, type Segment } from '../segments/segment.ts'
import type { WriterIndex } from '../segments/writer-index.ts'
import { type ChunkRows, movedSegment, PackedRow, wholeSegment } from './chunk-rows.ts'
import type { ChunkTables } from './chunk-tables.ts'
import { mergeTables } from './merge-tables.ts'
import { type ChosenSegments, planMove } from './plan-move.ts'
import { rowsOf } from './rows-of-segment.ts'
import { newTableName, type TableWrite } from './write-table.ts'

/** Segments on their way into a table. */
interface Move extends ChosenSegments {
  /** What replaces them. */
  readonly segment: Segment
  /** null: too little is left of them for a table. */
  readonly write: TableWrite | null
}

export interface MoveStep extends MoveOutcome {
  /** To be applied; null: nothing is moved yet. */
  readonly swap: SegmentSwap | null
}

const nothingMoved = { failure: null, swap: null } as const

/**
 * Moves the postings of large segments into tables, merges tables, and writes one anew without the many removed documents of its segment.
 * One step takes seconds, and only the index of a table minutes: in between, the process can renew its lease, or give up. Other changes may
 * be applied meanwhile: a segment does not change, and removals are taken over by the swap.
 */
export class TableMover {
  readonly #tables: ChunkTables
  #move: Move | null = null
  #isWritten = false
  /** Collections whose step failed: others are moved before these are tried again. */
  readonly #failed = new Set<number>()

  constructor(tables: ChunkTables) {
    this.#tables = tables
  }

  async step(held: WriterIndex, request: MoveRequest): Promise<MoveStep> {
    if (this.#move !== null && !isWanted(this.#move, held, request)) await this.abandon()
    const chosen = this.#move ?? planMove(held, this.#withoutFailed(request))
    if (chosen === null) {
      this.#failed.clear()
      return { ...nothingMoved, progress: 'none' }
    }
    try {
      return await this.#advance(chosen, held, request)
    } catch (error) {
      this.#forget()
      this.#failed.add(chosen.collectionId)
      const { name, message } = error instanceof Error ? error : new Error(String(error))
      return { progress: 'failed', failure: { name, message }, swap: null }
    }
  }

  #withoutFailed(request: MoveRequest): MoveRequest {
    return { ...request, collectionIds: request.collectionIds.filter((id) => !this.#failed.has(id)) }
  }

  async #advance(chosen: ChosenSegments, held: WriterIndex, request: MoveRequest): Promise<MoveStep> {
    if (this.#move === null) {
      const parts = held.buffersOf(chosen.collectionId, chosen.segmentIds).map(openSegment)
      this.#move = { ...chosen, ...(await this.#prepared(parts, chosen, request)) }
      return { ...nothingMoved, progress: 'writing' }
    }
    const { collectionId, segmentIds, segment, write } = this.#move
    if (!this.#isWritten) {
      this.#isWritten = write === null || (await write.step())
      return { ...nothingMoved, progress: 'writing' }
    }
    this.#forget()
    const after = [{ collectionId, segmentId: randomUUID(), buffer: segment.buffer }]
    return { progress: 'moved', failure: null, swap: { collectionId, before: segmentIds, after, at: null } }
  }

  /** Whether a segment is on its way into a table. */
  isMoving(segmentId: string): boolean {
    return this.#move?.segmentIds.includes(segmentId) === true
  }

  /** Drops what is not complete. */
  async abandon(): Promise<void> {
    const move = this.#move
    this.#forget()
    this.#failed.clear()
    await move?.write?.abandon()
  }

  async #prepared(
    parts: readonly Segment[],
    { dropped }: ChosenSegments,
    { minChunks }: MoveRequest,
  ): Promise<Pick<Move, 'segment' | 'write'>> {
    const table = newTableName()
    const [first] = parts
    if (first !== undefined && first.table === '') {
      const kept = dropped.size === 0 ? first : mergeSegments(parts, dropped)
      if (kept.chunkCount < minChunks) return { segment: kept, write: null }
      return {
        segment: movedSegment(kept, table),
        write: await this.#tables.begin(rowsOf(kept), table),
      }
    }
    const { segment, rows } = await mergeTables(this.#tables, parts, { dropped, table })
    if (segment.chunkCount < minChunks) return { segment: await wholeSegment(segment, rowsIn(rows)), write: null }
    return { segment, write: await this.#tables.begin(rows, table) }
  }

  #forget(): void {
    this.#move = null
    this.#isWritten = false
  }
}

async function* rowsIn(all: AsyncIterable<ChunkRows>): AsyncGenerator<PackedRow> {
  for await (const { packed } of all)
    for (const [at, start] of packed.starts.subarray(0, -1).entries())
      yield new PackedRow(packed.bytes.subarray(start, packed.starts[at + 1]))
}

/** Whether the segments are still there, and may still be in tables, and no document that is left out was restored meanwhile. */
function isWanted(
  { collectionId, segmentIds, dropped }: Move,
  held: WriterIndex,
  { collectionIds, keepFrom }: MoveRequest,
): boolean {
  if (!collectionIds.includes(collectionId)) return false
  if (held.buffersOf(collectionId, segmentIds).length < segmentIds.length) return false
  const droppable = new Set(held.droppable(collectionId, segmentIds, keepFrom))
  return [...dropped].every((id) => droppable.has(id))
}
