import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What this version was tested with. The formats of tables and indexes differ between versions of LanceDB. */
export const lanceVersion = '0.39.0'
export const arrowVersion = '18.1.0'
/** Installs it beside Docket. */
export const lanceCommand = `npm install --no-save @lancedb/lancedb@${lanceVersion} apache-arrow@${arrowVersion}`

/** The part of LanceDB's API that is used. */
export interface LanceTable {
  add(rows: unknown): Promise<unknown>
  createIndex(column: string, options: object): Promise<void>
  countRows(): Promise<number>
  query(): LanceQuery
  vectorSearch(vector: Float32Array): LanceVectorQuery
  takeOffsets(offsets: number[]): LanceRead
  takeRowIds(rowIds: readonly bigint[]): LanceRead
  close(): void
  isOpen(): boolean
}

export interface LanceRead {
  select(columns: string[]): LanceRead
  withRowId(): LanceRead
  toArrow(): Promise<ArrowTable>
}

export interface LanceQuery extends LanceRead, AsyncIterable<ArrowTable> {
  fullTextSearch(words: string, options: { readonly columns: string[] }): LanceQuery
  where(condition: string): LanceQuery
  select(columns: string[]): LanceQuery
  withRowId(): LanceQuery
  limit(rows: number): LanceQuery
}

export interface LanceVectorQuery extends LanceRead {
  column(name: string): LanceVectorQuery
  distanceType(type: 'dot'): LanceVectorQuery
  where(condition: string): LanceVectorQuery
  limit(rows: number): LanceVectorQuery
  nprobes(partitions: number): LanceVectorQuery
  refineFactor(factor: number): LanceVectorQuery
  bypassVectorIndex(): LanceVectorQuery
  select(columns: string[]): LanceVectorQuery
}

/** A table or a batch of rows. */
export interface ArrowTable {
  readonly numRows: number
  getChild(name: string): { get(at: number): unknown; toArray(): unknown } | null
}

export interface LanceDatabase {
  tableNames(options?: { readonly startAfter?: string; readonly limit?: number }): Promise<string[]>
  createTable(name: string, rows: unknown): Promise<LanceTable>
  openTable(name: string): Promise<LanceTable>
  dropTable(name: string): Promise<void>
}

/** What it keeps in memory. */
export interface LanceSession {
  sizeBytes(): bigint
}

export interface Lance {
  connect(
    uri: string,
    options: { readonly storageOptions: Readonly<Record<string, string>>; readonly session?: LanceSession },
  ): Promise<LanceDatabase>
  readonly Session: new (indexBytes: bigint, metadataBytes: bigint) => LanceSession
  readonly Index: {
    fts(options: object): object
    ivfFlat(options: object): object
    ivfRq(options: object): object
    btree(): object
  }
  readonly arrow: Arrow
}

interface Arrow {
  readonly Utf8: new () => object
  readonly Binary: new () => object
  readonly Uint32: new () => object
  readonly Float32: new () => object
  readonly Int64: new () => object
  readonly Field: new (name: string, type: object, isNullable: boolean) => object
  readonly FixedSizeList: new (length: number, field: object) => object
  readonly Vector: new (data: readonly unknown[]) => unknown
  readonly Table: new (columns: Readonly<Record<string, unknown>>) => unknown
  makeData(parts: object): unknown
}

/**
 * Loads LanceDB, which is no dependency of Docket: it takes 233 MB.
 *
 * @param folder where it is installed: a folder with `node_modules`, or one below it
 * @throws Error with the command to install it
 */
export async function importLance(folder: string): Promise<Lance> {
  const { resolve } = createRequire(join(folder, 'package.json'))
  const lance = requireLance(folder)
  const arrow = locate(resolve, 'apache-arrow', folder)
  const load = async (path: string): Promise<unknown> => import(pathToFileURL(path).href)
  const loaded = (await load(lance)) as { readonly default?: Omit<Lance, 'arrow'> } & Omit<Lance, 'arrow'>
  const { connect, Index, Session } = loaded.default ?? loaded
  return { connect, Index, Session, arrow: (await load(arrow)) as Arrow }
}

function locate(resolve: (name: string) => string, name: string, folder: string): string {
  try {
    return resolve(name)
  } catch {
    throw new Error(
      `LanceDB (DOCKET_SEARCH, DOCKET_VECTORS) needs ${name}, which is not installed in ${folder}. Install it there: ${lanceCommand}`,
    )
  }
}

/**
 * Checks that it is installed, without loading 193 MB.
 *
 * @returns the file to load
 * @throws Error with the command to install it
 */
export function requireLance(folder: string): string {
  const { resolve } = createRequire(join(folder, 'package.json'))
  locate(resolve, 'apache-arrow', folder)
  const path = locate(resolve, '@lancedb/lancedb', folder)
  const { version } = JSON.parse(readFileSync(join(dirname(path), '..', 'package.json'), 'utf8')) as { version: string }
  if (version !== lanceVersion)
    throw new Error(
      `LanceDB (DOCKET_SEARCH, DOCKET_VECTORS) needs version ${lanceVersion} of @lancedb/lancedb, not ${version}. Install it: ${lanceCommand}`,
    )
  return path
}
