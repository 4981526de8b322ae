import { randomUUID } from 'node:crypto'
import type { Segment } from '../segments/segment.ts'
import { type ChunkRows, PackedRow, rowsOf, wordOf } from './chunk-rows.ts'
import { importLance, type Lance, type LanceDatabase, type LanceRead, type LanceTable } from './import-lancedb.ts'

/** Where the tables are, and where LanceDB is installed. It is passed to threads. */
export interface TablePlace {
  /** A folder, or `s3://BUCKET/PREFIX`. */
  readonly uri: string
  /** Of an object store: its address and credentials, as LanceDB names them. */
  readonly storageOptions: Readonly<Record<string, string>>
  /** A folder with `node_modules`, or one below it. */
  readonly packageFolder: string
}

/** A chunk of a table, by its number in the segment. */
export interface TableRow {
  readonly chunk: number
  readonly row: PackedRow
  /** By LanceDB; 0: it was not ranked. */
  readonly score: number
}

/** A table that a segment names does not exist any more, or a part of it is missing: its collection has to be built again. */
export class LostTableError extends Error {
  override readonly name = 'LostTableError'
}

/** The place of the tables does not respond. */
export class TablesUnavailableError extends Error {
  override readonly name = 'TablesUnavailableError'
}

/** Rows in memory at once: some 40 MB. */
const rowsAtOnce = 20_000
/** Rows that are read by number in one request. */
const takenAtOnce = 10_000
const nameOf = (table: string): string => `chunks_${table}`
const namePattern = /^chunks_([0-9a-f]{32})$/

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
  readonly #place: TablePlace
  #opened: Promise<{ readonly lance: Lance; readonly database: LanceDatabase }> | undefined
  readonly #tables = new Map<string, Promise<LanceTable>>()

  constructor(place: TablePlace) {
    this.#place = place
  }

  /** @returns the name of the new table */
  async write(segment: Segment): Promise<string> {
    const table = randomUUID().replaceAll('-', '')
    const { lance, database } = await this.#open()
    let created: LanceTable | undefined
    try {
      await this.#caught(async () => {
        for (const part of rowsOf(segment, rowsAtOnce)) {
          const rows = arrowRows(lance, part)
          if (created === undefined) created = await database.createTable(nameOf(table), rows)
          else await created.add(rows)
        }
        await created?.createIndex('terms', { config: lance.Index.fts(ownTerms) })
      })
    } catch (error) {
      // The next attempt writes another one. If this one stays, it is cleared away after a while.
      await this.drop(table).catch(() => undefined)
      throw error
    } finally {
      created?.close()
    }
    return table
  }

  /**
   * The chunks that LanceDB ranks highest for some terms.
   *
   * @param ordinals terms by their ordinals in the segment
   */
  async propose(table: string, ordinals: readonly number[], max: number): Promise<readonly TableRow[]> {
    if (ordinals.length === 0) return []
    const words = ordinals.map(wordOf).join(' ')
    return this.#rowsOf(table, (opened) =>
      opened
        .query()
        .fullTextSearch(words, { columns: ['terms'] })
        .select(['chunk', 'packed', '_score'])
        .limit(max),
    )
  }

  /** @param chunks numbers in the segment, ascending */
  async rowsAt(table: string, chunks: readonly number[]): Promise<readonly TableRow[]> {
    const rows: TableRow[] = []
    for (let from = 0; from < chunks.length; from += takenAtOnce) {
      const part = chunks.slice(from, from + takenAtOnce)
      rows.push(...(await this.#rowsOf(table, (opened) => opened.takeOffsets(part).select(['chunk', 'packed']))))
    }
    if (rows.length < chunks.length) throw new LostTableError(`rows of the table ${nameOf(table)} are missing`)
    return rows
  }

  async *all(table: string, chunkCount: number): AsyncGenerator<TableRow> {
    for (let from = 0; from < chunkCount; from += takenAtOnce)
      yield* await this.rowsAt(
        table,
        Array.from({ length: Math.min(takenAtOnce, chunkCount - from) }, (_, at) => from + at),
      )
  }

  /** Names of all tables there. */
  async names(): Promise<readonly string[]> {
    const { database } = await this.#open()
    const names: string[] = []
    for (;;) {
      const startAfter = names.at(-1)
      const page = await this.#caught(() =>
        database.tableNames({ limit: 1_000, ...(startAfter !== undefined && { startAfter }) }),
      )
      names.push(...page)
      if (page.length < 1_000) break
    }
    return names.flatMap((name) => namePattern.exec(name)?.[1] ?? [])
  }

  async drop(table: string): Promise<void> {
    this.forget(table)
    const { database } = await this.#open()
    await this.#caught(() => database.dropTable(nameOf(table))).catch((error: unknown) => {
      if (!(error instanceof LostTableError)) throw error
    })
  }

  /** Gives back what an open table takes. */
  forget(table: string): void {
    const opened = this.#tables.get(table)
    this.#tables.delete(table)
    opened?.then((each) => each.close()).catch(() => undefined)
  }

  async #rowsOf(table: string, read: (opened: LanceTable) => LanceRead): Promise<readonly TableRow[]> {
    const opened = await this.#table(table)
    const found = await this.#caught(() => read(opened).toArrow())
    const chunks = found.getChild('chunk')
    const packed = found.getChild('packed')
    const score = found.getChild('_score')
    return Array.from({ length: found.numRows }, (_, at) => ({
      chunk: Number(chunks?.get(at)),
      row: new PackedRow(packed?.get(at) as Uint8Array),
      score: Number(score?.get(at) ?? 0),
    })).sort((one, other) => one.chunk - other.chunk)
  }

  async #table(table: string): Promise<LanceTable> {
    const known = this.#tables.get(table)
    if (known !== undefined) return known
    const { database } = await this.#open()
    const opened = this.#caught(() => database.openTable(nameOf(table)))
    this.#tables.set(table, opened)
    opened.catch(() => this.#tables.delete(table))
    return opened
  }

  #open() {
    this.#opened ??= this.#connect()
    this.#opened.catch(() => {
      this.#opened = undefined
    })
    return this.#opened
  }

  async #connect() {
    const { uri, storageOptions, packageFolder } = this.#place
    const lance = await importLance(packageFolder)
    return { lance, database: await this.#caught(() => lance.connect(uri, { storageOptions })) }
  }

  /** LanceDB throws errors with nothing but a text. */
  async #caught<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      if (lost.test(message)) throw new LostTableError(message, { cause: error })
      throw new TablesUnavailableError(message, { cause: error })
    }
  }
}

const lost = /\bnot found\b|NotFound|does not exist|No such file/i

function arrowRows({ arrow }: Lance, { from, terms, packed }: ChunkRows): unknown {
  const { Vector, Table, Utf8, Binary, Uint32 } = arrow
  const length = terms.length
  const chunk = arrow.makeData({
    type: new Uint32(),
    length,
    nullCount: 0,
    data: Uint32Array.from(terms, (_, at) => from + at),
  })
  const bytesOf = (type: object, values: readonly Uint8Array[]): unknown => {
    const valueOffsets = new Int32Array(length + 1)
    for (const [at, { length: size }] of values.entries()) valueOffsets[at + 1] = (valueOffsets[at] ?? 0) + size
    return new Vector([arrow.makeData({ type, length, nullCount: 0, valueOffsets, data: Buffer.concat(values) })])
  }
  return new Table({
    chunk: new Vector([chunk]),
    terms: bytesOf(new Utf8(), terms),
    packed: bytesOf(new Binary(), packed),
  })
}
