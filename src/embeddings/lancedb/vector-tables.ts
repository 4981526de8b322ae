import { caught, type TablePlace } from '../../search-engine/lancedb/connect-lance.ts'
import type { ArrowTable, Lance, LanceTable, LanceVectorQuery } from '../../search-engine/lancedb/import-lancedb.ts'
import { OpenTables } from '../../search-engine/lancedb/open-tables.ts'
import { newTableName } from '../../search-engine/lancedb/write-table.ts'
import type { StoredVectors } from '../in-memory/collection-vectors.ts'
import { unitLength } from '../similarity.ts'

export interface VectorRow {
  readonly collectionId: number
  readonly documentId: number
  readonly docId: string
  readonly chunkIndex: number
}

export interface NearRow extends VectorRow {
  /** As LanceDB computes it, with numbers of 32 bits. */
  readonly similarity: number
}

export interface StoredRow extends VectorRow {
  /** Of length 1. */
  readonly vector: Float32Array
}

/**
 * `exact`: the index has the vectors themselves, which are compared faster than without an index. `approximate`: it has a bit for each
 * number; those that seem nearest are compared by their vectors.
 */
export type IndexKind = 'none' | 'exact' | 'approximate'

export interface WrittenTable {
  readonly name: string
  readonly rowCount: number
  readonly index: IndexKind
}

export interface TableScan {
  readonly vector: Float32Array
  readonly limit: number
  /** Only these; null: all. */
  readonly collectionIds: readonly number[] | null
  /** Only these documents; null: all. */
  readonly documentIds: readonly number[] | null
  /**
   * How an approximate index is used. `ordered`: its bits say which are near, and in which order; similarities are approximate. `compared`:
   * the nearest of these are compared by their vectors. null: it is not used.
   */
  readonly approximation: 'ordered' | 'compared' | null
}

/** Below, a comparison without an index takes some milliseconds. */
const defaultMinIndexedRows = 5_000
const bytesAtOnce = 32 * 1024 * 1024

/**
 * Tables of LanceDB with vectors of length 1. A table never changes, as those of words (docs/decisions/0056): it is written under a new name, and used when it
 * is complete.
 */
export class VectorTables {
  readonly #tables: OpenTables
  readonly #minIndexedRows: number

  /** @param minIndexedRows tables with fewer rows have no index; absent: 5,000 */
  constructor(place: TablePlace, minIndexedRows = defaultMinIndexedRows) {
    this.#tables = new OpenTables(place, 'vectors')
    this.#minIndexedRows = minIndexedRows
  }

  /**
   * @returns undefined if there is nothing to write
   */
  async write(
    vectors: AsyncIterable<readonly StoredVectors[]>,
    length: number,
    kind: 'exact' | 'approximate',
  ): Promise<WrittenTable | undefined> {
    const { lance, database } = await this.#tables.connect()
    const name = newTableName()
    let created: LanceTable | undefined
    let rowCount = 0
    const add = async (rows: readonly StoredRow[]): Promise<void> => {
      const part = arrowRows(lance, rows, length)
      if (created === undefined) created = await caught(() => database.createTable(this.#tables.nameOf(name), part))
      else await caught(() => (created as LanceTable).add(part))
      rowCount += rows.length
    }
    try {
      let rows: StoredRow[] = []
      for await (const some of vectors) {
        rows.push(...some.flatMap((each) => rowsOf(each, length)))
        if (rows.length * length * 4 < bytesAtOnce) continue
        await add(rows)
        rows = []
      }
      if (rows.length > 0) await add(rows)
      if (created === undefined) return undefined
      const index = rowCount < this.#minIndexedRows ? 'none' : hasBits(length) ? kind : 'exact'
      if (index !== 'none') await makeIndex(lance, created, index)
      created.close()
      return { name, rowCount, index }
    } catch (error) {
      // If it stays, it is cleared away after a while.
      await this.drop(name).catch(() => undefined)
      throw error
    }
  }

  async nearest(
    { name, index }: Pick<WrittenTable, 'name' | 'index'>,
    { vector, limit, collectionIds, documentIds, approximation }: TableScan,
  ): Promise<readonly NearRow[]> {
    const conditions: string[] = []
    if (collectionIds !== null) conditions.push(`collection in (${collectionIds.join(',')})`)
    if (documentIds !== null) conditions.push(`document in (${documentIds.join(',')})`)
    const found = await this.#tables.read(name, (opened) => {
      const query = opened.vectorSearch(vector).column('vector').distanceType('dot').limit(limit)
      const compared = comparedBy(query, index, approximation)
      const filtered = conditions.length === 0 ? compared : compared.where(conditions.join(' and '))
      return caught(() => filtered.select([...columns, '_distance']).toArrow())
    })
    const distances = found.getChild('_distance')
    return vectorRows(found).map((row, at) => ({ ...row, similarity: 1 - Number(distances?.get(at)) }))
  }

  /** Every row of some documents. */
  async rowsOf(table: string, documentIds: readonly number[]): Promise<readonly StoredRow[]> {
    const condition = `document in (${documentIds.join(',')})`
    const found = await this.#tables.read(table, (opened) =>
      caught(() =>
        opened
          .query()
          .where(condition)
          .select([...columns, 'vector'])
          .toArrow(),
      ),
    )
    const vectors = found.getChild('vector')
    return vectorRows(found).map((row, at) => ({
      ...row,
      vector: Float32Array.from(numbersOf(vectors?.get(at))),
    }))
  }

  /** Names of all tables there. */
  names(): Promise<readonly string[]> {
    return this.#tables.names()
  }

  drop(table: string): Promise<void> {
    return this.#tables.drop(table)
  }

  /** Names of the tables that this process has open. */
  opened(): readonly string[] {
    return this.#tables.opened()
  }

  /** Gives back what other tables take: at once, or when the reads of them end. */
  forgetOthers(used: ReadonlySet<string>): void {
    this.#tables.forgetOthers(used)
  }
}

const columns = ['collection', 'document', 'doc_id', 'chunk']

/** One partition, all of which is compared: more of them take forty times as long to build, and miss what is in the others (docs/decisions/0059). */
const partitions = { distanceType: 'dot', numPartitions: 1 }
/** So many times as many as are requested are compared by their vectors. */
const refined = 4
const minNumbersOfBits = 128

/** LanceDB makes bits of groups of eight numbers. Those of few numbers say little about what is near. */
function hasBits(length: number): boolean {
  return length >= minNumbersOfBits && length % 8 === 0
}

async function makeIndex({ Index }: Lance, created: LanceTable, kind: 'exact' | 'approximate'): Promise<void> {
  await caught(() => created.createIndex('document', { config: Index.btree() }))
  const config = kind === 'exact' ? Index.ivfFlat(partitions) : Index.ivfRq(partitions)
  await caught(() => created.createIndex('vector', { config }))
}

function comparedBy(
  query: LanceVectorQuery,
  index: IndexKind,
  approximation: TableScan['approximation'],
): LanceVectorQuery {
  if (index === 'exact') return query.nprobes(1)
  if (index !== 'approximate' || approximation === null) return query.bypassVectorIndex()
  return approximation === 'ordered' ? query.nprobes(1) : query.nprobes(1).refineFactor(refined)
}

function numbersOf(vector: unknown): Float32Array {
  return (vector as { toArray(): Float32Array }).toArray()
}

function rowsOf({ collectionId, documentId, docId, firstChunk, numbers }: StoredVectors, length: number): StoredRow[] {
  return Array.from({ length: Math.floor(numbers.length / length) }, (_, at) => ({
    ...{ collectionId, documentId, docId, chunkIndex: firstChunk + at },
    // A copy: the next page of the database replaces the numbers.
    vector: Float32Array.from(unitLength(numbers.subarray(at * length, (at + 1) * length))),
  }))
}

function vectorRows(found: ArrowTable): VectorRow[] {
  const [collection, document, docId, chunk] = columns.map((name) => found.getChild(name))
  return Array.from({ length: found.numRows }, (_, at) => ({
    collectionId: Number(collection?.get(at)),
    documentId: Number(document?.get(at)),
    docId: String(docId?.get(at)),
    chunkIndex: Number(chunk?.get(at)),
  }))
}

function arrowRows({ arrow }: Lance, rows: readonly StoredRow[], numbers: number): unknown {
  const { Vector, Table, Utf8, Uint32, Int64, Float32, Field, FixedSizeList } = arrow
  const { length } = rows
  const vectors = new Float32Array(length * numbers)
  for (const [at, { vector }] of rows.entries()) vectors.set(vector, at * numbers)
  const texts = rows.map(({ docId }) => Buffer.from(docId))
  const valueOffsets = new Int32Array(length + 1)
  for (const [at, text] of texts.entries()) valueOffsets[at + 1] = (valueOffsets[at] ?? 0) + text.length
  const columnOf = (type: object, parts: object): unknown =>
    new Vector([arrow.makeData({ type, length, nullCount: 0, ...parts })])
  const child = arrow.makeData({ type: new Float32(), length: vectors.length, nullCount: 0, data: vectors })
  return new Table({
    collection: columnOf(new Uint32(), { data: Uint32Array.from(rows, ({ collectionId }) => collectionId) }),
    document: columnOf(new Int64(), { data: BigInt64Array.from(rows, ({ documentId }) => BigInt(documentId)) }),
    doc_id: columnOf(new Utf8(), { valueOffsets, data: Buffer.concat(texts) }),
    chunk: columnOf(new Uint32(), { data: Uint32Array.from(rows, ({ chunkIndex }) => chunkIndex) }),
    vector: columnOf(new FixedSizeList(numbers, new Field('item', new Float32(), true)), { child }),
  })
}
