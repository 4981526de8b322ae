/** Vectors in LanceDB, for comparisons (docs/decisions/0059). */
import { resolve } from 'node:path'
import {
  type ArrowTable,
  importLance,
  type Lance,
  type LanceTable,
} from '../../src/search-engine/lancedb/import-lancedb.ts'

/** What Docket itself does not use of a table: its tables never change. */
export interface VectorTable extends LanceTable {
  delete(condition: string): Promise<unknown>
  optimize(): Promise<unknown>
}

interface LanceVectors {
  readonly Index: Lance['Index'] & { ivfPq(options: object): object }
  connect(folder: string): Promise<{ createTable(name: string, rows: unknown): Promise<VectorTable> }>
  /** @param numbers of all vectors, one after the other */
  rows(ids: readonly number[], numbers: Float32Array): unknown
}

export async function importLanceVectors(folder: string): Promise<LanceVectors> {
  const { Index, arrow, connect } = await importLance(resolve(folder))
  const { Vector, Table, Int64, Float32, Field, FixedSizeList, makeData } = arrow
  const rows = (ids: readonly number[], numbers: Float32Array): unknown => {
    const { length } = ids
    const document = makeData({ type: new Int64(), length, nullCount: 0, data: BigInt64Array.from(ids, BigInt) })
    const child = makeData({ type: new Float32(), length: numbers.length, nullCount: 0, data: numbers })
    const type = new FixedSizeList(numbers.length / length, new Field('item', new Float32(), true))
    const vector = makeData({ type, length, nullCount: 0, child })
    return new Table({ document: new Vector([document]), vector: new Vector([vector]) })
  }
  return {
    Index: Index as LanceVectors['Index'],
    connect: async (place) => {
      const database = await connect(place, { storageOptions: {} })
      return { createTable: async (name, first) => (await database.createTable(name, first)) as VectorTable }
    },
    rows,
  }
}

export function idsIn(found: ArrowTable): readonly number[] {
  return Array.from((found.getChild('document')?.toArray() ?? []) as ArrayLike<bigint>, Number)
}
