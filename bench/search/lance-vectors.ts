/** Vectors in LanceDB, for comparisons: no dependency of the project (docs/decisions/0059). */
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The part of LanceDB's API that is used. */
export interface VectorTable {
  add(rows: unknown): Promise<unknown>
  createIndex(column: string, options: object): Promise<void>
  delete(condition: string): Promise<unknown>
  optimize(): Promise<unknown>
  takeOffsets(offsets: readonly number[]): Read
  vectorSearch(vector: Float32Array): VectorQuery
}

interface Read {
  select(columns: readonly string[]): Read
  toArrow(): Promise<ArrowRows>
}

interface VectorQuery extends Read {
  column(name: string): VectorQuery
  distanceType(type: 'dot'): VectorQuery
  limit(rows: number): VectorQuery
  where(condition: string): VectorQuery
  nprobes(partitions: number): VectorQuery
  refineFactor(factor: number): VectorQuery
  bypassVectorIndex(): VectorQuery
}

interface ArrowRows {
  getChild(name: string): { toArray(): ArrayLike<bigint> } | null
}

type MakeIndex = (options: object) => object

interface LanceModule {
  connect(folder: string): Promise<{ createTable(name: string, rows: unknown): Promise<VectorTable> }>
  readonly Index: Readonly<Record<'ivfFlat' | 'ivfPq' | 'ivfRq', MakeIndex>> & { btree(): object }
}

interface Arrow {
  readonly Int64: new () => object
  readonly Float32: new () => object
  readonly Field: new (name: string, type: object, isNullable: boolean) => object
  readonly FixedSizeList: new (length: number, field: object) => object
  readonly Vector: new (data: readonly unknown[]) => unknown
  readonly Table: new (columns: Readonly<Record<string, unknown>>) => unknown
  makeData(parts: object): unknown
}

interface LanceVectors extends LanceModule {
  /** @param numbers of all vectors, one after the other */
  rows(ids: readonly number[], numbers: Float32Array): unknown
}

export async function importLanceVectors(folder: string): Promise<LanceVectors> {
  const { resolve: locate } = createRequire(join(resolve(folder), 'x.js'))
  const load = async (name: string): Promise<unknown> => import(pathToFileURL(locate(name)).href)
  const { connect, Index } = ((await load('@lancedb/lancedb')) as { readonly default: LanceModule }).default
  const { Vector, Table, Int64, Float32, Field, FixedSizeList, makeData } = (await load('apache-arrow')) as Arrow
  const rows = (ids: readonly number[], numbers: Float32Array): unknown => {
    const { length } = ids
    const document = makeData({ type: new Int64(), length, nullCount: 0, data: BigInt64Array.from(ids, BigInt) })
    const child = makeData({ type: new Float32(), length: numbers.length, nullCount: 0, data: numbers })
    const type = new FixedSizeList(numbers.length / length, new Field('item', new Float32(), true))
    const vector = makeData({ type, length, nullCount: 0, child })
    return new Table({ document: new Vector([document]), vector: new Vector([vector]) })
  }
  return { connect, Index, rows }
}

export function idsIn(found: ArrowRows): readonly number[] {
  return Array.from(found.getChild('document')?.toArray() ?? [], Number)
}
