/**
 * LanceDB, for comparisons: no dependency of the project (docs/decisions/0009). Its folder is one where it is installed
 * (`npm i @lancedb/lancedb`).
 */
import { readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BenchChunk } from './engines.ts'

/** The part of LanceDB's API that is used. */
export interface LanceTable {
  createIndex(column: string, options: object): Promise<void>
  add(rows: unknown): Promise<unknown>
  delete(condition: string): Promise<unknown>
  query(): LanceQuery
  optimize(options?: { readonly cleanupOlderThan: Date }): Promise<unknown>
  version(): Promise<number>
}

export interface LanceQuery {
  fullTextSearch(words: string, options: { readonly columns: readonly string[] }): LanceQuery
  where(condition: string): LanceQuery
  select(columns: readonly string[]): LanceQuery
  limit(rows: number): LanceQuery
  toArray(): Promise<FoundRow[]>
}

interface FoundRow {
  readonly id: bigint
  readonly document: bigint
  readonly _score: number
}

interface LanceModule {
  connect(folder: string): Promise<LanceDatabase>
  readonly Index: { fts(options: object): object; btree(): object }
}

interface Lance extends LanceModule {
  /** Rows with ids as whole numbers: LanceDB alone makes them floating-point numbers. */
  rows(rows: readonly LanceRow[]): unknown
}

export interface LanceRow {
  readonly id: number
  readonly documentId: number
  readonly words: string
}

interface Arrow {
  tableFromArrays(columns: Readonly<Record<string, unknown>>): unknown
  vectorFromArray(values: readonly string[], type: unknown): unknown
  readonly Utf8: new () => object
}

interface LanceDatabase {
  createTable(name: string, rows: unknown): Promise<LanceTable>
}

export async function importLance(folder: string): Promise<Lance> {
  const { resolve: locate } = createRequire(join(resolve(folder), 'x.js'))
  const load = async (name: string): Promise<unknown> => import(pathToFileURL(locate(name)).href)
  const { connect, Index } = ((await load('@lancedb/lancedb')) as { default: LanceModule }).default
  const { tableFromArrays, vectorFromArray, Utf8 } = (await load('apache-arrow')) as Arrow
  const rows = (given: readonly LanceRow[]): unknown =>
    tableFromArrays({
      id: BigInt64Array.from(given, ({ id }) => BigInt(id)),
      document: BigInt64Array.from(given, ({ documentId }) => BigInt(documentId)),
      words: vectorFromArray(
        given.map(({ words }) => words),
        new Utf8(),
      ),
    })
  return { connect, Index, rows }
}

/** The title's terms four times, as weighted in our own index. */
export function wordsOf({ terms, titleTerms }: Pick<BenchChunk, 'terms' | 'titleTerms'>): string {
  return [...terms, ...titleTerms, ...titleTerms, ...titleTerms, ...titleTerms].join(' ')
}

/** Our own terms with spaces between them, and no analysis of LanceDB's. */
export const ownTerms = {
  withPosition: false,
  baseTokenizer: 'whitespace',
  lowercase: false,
  stem: false,
  removeStopWords: false,
  asciiFolding: false,
  maxTokenLength: null,
}

/** The best chunks by LanceDB's own scores, in its order. */
export async function findChunks(
  table: LanceTable,
  terms: readonly string[],
  { limit, where }: { readonly limit: number; readonly where?: string },
): Promise<readonly { readonly id: number; readonly documentId: number; readonly score: number }[]> {
  if (terms.length === 0) return []
  const words = table.query().fullTextSearch(terms.join(' '), { columns: ['words'] })
  const rows = await (where === undefined ? words : words.where(where))
    .select(['id', 'document', '_score'])
    .limit(limit)
    .toArray()
  return rows.map(({ id, document, _score }) => ({ id: Number(id), documentId: Number(document), score: _score }))
}

export function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce(
    (sum, entry) => sum + (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0),
    0,
  )
}
