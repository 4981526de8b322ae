import type { Segment } from '../segments/segment.ts'
import { type BytesColumn, type ChunkRows, PackedRow, wordOf } from './chunk-rows.ts'
import { caught, LostTableError, type TablePlace } from './connect-lance.ts'
import type { ArrowTable, Lance, LanceQuery, LanceRead, LanceTable } from './import-lancedb.ts'
import { OpenTables } from './open-tables.ts'
import { rowsOf } from './rows-of-segment.ts'
import { columnOf, TableFragments } from './table-fragments.ts'
import { type ChunkRowSource, newTableName, TableWrite } from './write-table.ts'

/** Chunks by their numbers in the segment, with the scores that LanceDB gives them: the best is the first. */
export interface Proposals {
  readonly chunks: Uint32Array
  readonly scores: Float32Array
}

/** Rows that are read in one request: one or two MB, and rarely more than three kB each. */
export const rowsOfPage = 2_000
/** Numbers of chunks that are requested at once: some MB. */
const numbersAtOnce = 524_288

/** Whitespace between tokens, and no analysis of LanceDB's. Tokens have at most seven characters (`wordOf`). */
const ownTerms = {
  withPosition: false,
  baseTokenizer: 'whitespace',
  lowercase: false,
  stem: false,
  removeStopWords: false,
  asciiFolding: false,
}

/**
 * Tables of LanceDB, each with the chunks of one segment. A table never changes: it is written under a new name, and only used after its
 * name is known, so that processes need no agreement about its version.
 */
export class ChunkTables {
  readonly #tables: OpenTables
  /** Of open tables. */
  readonly #fragments = new WeakMap<LanceTable, TableFragments>()

  constructor(place: TablePlace) {
    this.#tables = new OpenTables(place, 'chunks')
  }

  /** Begins a new table. */
  async begin(rows: ChunkRowSource, table = newTableName()): Promise<TableWrite> {
    const { lance, database } = await this.#tables.connect()
    return new TableWrite(table, rows, {
      create: (part) => caught(() => database.createTable(this.#tables.nameOf(table), arrowRows(lance, part))),
      add: async (created, part) => {
        await caught(() => created.add(arrowRows(lance, part)))
      },
      index: async (created) => {
        await caught(() => checkOrder(created))
        await caught(() => created.createIndex('terms', { config: lance.Index.fts(ownTerms) }))
      },
      drop: () => this.drop(table),
    })
  }

  /** @returns the name of the new table */
  async write(segment: Segment): Promise<string> {
    const write = await this.begin(rowsOf(segment))
    while (!(await write.step()));
    return write.table
  }

  /**
   * The chunks that LanceDB ranks highest for some terms.
   *
   * @param ordinals terms by their ordinals in the segment
   */
  async propose(table: string, ordinals: readonly number[], max: number): Promise<Proposals> {
    const { chunks, scores } = await this.#found(table, (opened) => queryOf(opened, ordinals).limit(max))
    // The order of equal scores does not matter.
    const order = Uint32Array.from(chunks, (_, at) => at).sort(
      (one, other) => (scores[other] ?? 0) - (scores[one] ?? 0),
    )
    return {
      chunks: Uint32Array.from(order, (at) => chunks[at] ?? 0),
      scores: Float32Array.from(order, (at) => scores[at] ?? 0),
    }
  }

  /** Every chunk with one of these terms, in parts, ascending. */
  async *matching(table: string, ordinals: readonly number[], chunkCount: number): AsyncGenerator<Uint32Array> {
    for (let from = 0; from < chunkCount; from += numbersAtOnce) {
      const to = from + numbersAtOnce
      const { chunks } = await this.#found(table, (opened) =>
        queryOf(opened, ordinals).where(`chunk >= ${from} and chunk < ${to}`).limit(numbersAtOnce),
      )
      yield chunks.sort()
    }
  }

  /** @param chunks numbers in the segment, ascending, at most `rowsOfPage` of them */
  async rowsAt(table: string, chunks: readonly number[]): Promise<readonly PackedRow[]> {
    if (chunks.length > rowsOfPage) throw new RangeError(`${chunks.length} rows are too many for a page`)
    if (chunks.length === 0) return []
    const found = await this.#read(table, (opened) => opened.takeOffsets([...chunks]).select(['packed']))
    const packed = found.getChild('packed')
    const rows = Array.from({ length: found.numRows }, (_, at) => new PackedRow(packed?.get(at) as Uint8Array))
    rows.sort((one, other) => one.chunk - other.chunk)
    if (rows.length < chunks.length || rows.some(({ chunk }, at) => chunk !== chunks[at]))
      throw new LostTableError(`rows of the table ${this.#tables.nameOf(table)} are not found`)
    return rows
  }

  /** Rows of any number of chunks, page by page. */
  async *pages(table: string, chunks: Uint32Array): AsyncGenerator<readonly PackedRow[]> {
    for (let from = 0; from < chunks.length; from += rowsOfPage)
      yield await this.rowsAt(table, [...chunks.subarray(from, from + rowsOfPage)])
  }

  async *all(table: string, chunkCount: number): AsyncGenerator<PackedRow> {
    for (let from = 0; from < chunkCount; from += rowsOfPage) {
      const numbers = Array.from({ length: Math.min(rowsOfPage, chunkCount - from) }, (_, at) => from + at)
      yield* await this.rowsAt(table, numbers)
    }
  }

  /** Whether all of these tables are there. */
  async haveAll(tables: readonly string[]): Promise<boolean> {
    if (tables.length === 0) return true
    const names = new Set(await this.names())
    return tables.every((table) => names.has(table))
  }

  /** Names of all tables there. */
  names(): Promise<readonly string[]> {
    return this.#tables.names()
  }

  drop(table: string): Promise<void> {
    return this.#tables.drop(table)
  }

  /** Gives back what other tables take: at once, or when the reads of them end. */
  forgetOthers(used: ReadonlySet<string>): void {
    this.#tables.forgetOthers(used)
  }

  /** Asks without reading any column: LanceDB knows the places of rows, and the numbers of chunks follow from them. */
  #found(table: string, query: (opened: LanceTable) => LanceQuery): Promise<Proposals> {
    return this.#tables.read(table, async (opened) => {
      const found = await caught(() => query(opened).select(['_score']).withRowId().toArrow())
      const rowIds = columnOf(found, '_rowid', BigUint64Array)
      const fragments = this.#fragments.get(opened) ?? new TableFragments()
      this.#fragments.set(opened, fragments)
      const unknown = fragments.unknownIn(rowIds)
      if (unknown.length > 0)
        fragments.learn(await caught(() => opened.takeRowIds(unknown).select(['chunk']).withRowId().toArrow()))
      return { chunks: fragments.chunksAt(rowIds), scores: columnOf(found, '_score', Float32Array) }
    })
  }

  #read(table: string, read: (opened: LanceTable) => LanceRead): Promise<ArrowTable> {
    return this.#tables.read(table, (opened) => caught(() => read(opened).toArrow()))
  }

  /** Bytes of tables that LanceDB keeps in memory. 0: it has its own limit, and does not say. */
  cachedBytes(): number {
    return this.#tables.cachedBytes()
  }
}

function queryOf(opened: LanceTable, ordinals: readonly number[]): LanceQuery {
  return opened.query().fullTextSearch(ordinals.map(wordOf).join(' '), { columns: ['terms'] })
}

async function checkOrder(created: LanceTable): Promise<void> {
  const fragments = new TableFragments()
  for await (const rows of created.query().select(['chunk']).withRowId()) fragments.learn(rows)
}

function arrowRows({ arrow }: Lance, { from, terms, packed }: ChunkRows): unknown {
  const { Vector, Table, Utf8, Binary, Uint32 } = arrow
  const length = terms.starts.length - 1
  const data = Uint32Array.from({ length }, (_, at) => from + at)
  const chunk = arrow.makeData({ type: new Uint32(), length, nullCount: 0, data })
  const bytesOf = (type: object, { starts, bytes }: BytesColumn): unknown =>
    new Vector([arrow.makeData({ type, length, nullCount: 0, valueOffsets: starts, data: bytes })])
  return new Table({
    chunk: new Vector([chunk]),
    terms: bytesOf(new Utf8(), terms),
    packed: bytesOf(new Binary(), packed),
  })
}
