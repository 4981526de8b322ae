import { sql } from '../../kernel/sql.ts'
import { Nearest } from '../in-memory/nearest-candidates.ts'
import type { FoundCandidates, VectorSearch } from '../in-memory/vectors-in-memory.ts'
import { documentCounts } from '../nearest-exact.ts'
import { similarityOf, unitLength } from '../similarity.ts'
import { storedVectors } from '../store/stored-vectors.ts'
import type { NearSearch } from '../vector-engine.ts'
import type { LanceModel, ListedState, ListedTable } from './listed-tables.ts'
import type { NearRow, TableScan } from './vector-tables.ts'

/** Ids in one condition: a text of more takes longer than comparing everything. */
const idsAtOnce = 5_000
/** If more of the rows than one of so many may be found, comparing everything is cheaper than conditions. */
const allowedShare = 8
const moreRows = 4
/** Of an index by bits: it takes about as long to return so many rows as to compare 100,000 vectors. */
const maxOrderedRows = 20_000

export interface TableSearch extends VectorSearch {
  readonly state: ListedState
  /** For vectors that are in no table yet: rights, filter and state. */
  readonly search: NearSearch
}

/** The chunks whose similarity can be the highest: in tables, and in the database those that are in no table yet. */
export async function nearestInTables(model: LanceModel, search: TableSearch): Promise<FoundCandidates> {
  const { state, k, vector, collectionIds } = search
  const query = unitLength(vector)
  const margin = query.length * 2 ** -23 + 1e-6
  const searched = state.tables.filter(
    ({ numbers, collectionIds: own }) => numbers === vector.length && own.some((id) => collectionIds.includes(id)),
  )
  const isApproximate = searched.some((table) => approximationOf(model, table, search) !== null)
  const [newer, ...found] = await Promise.all([
    readNewer(model, search, query),
    ...searched.map((table) => rowsIn(model, table, search, query)),
  ])
  const nearest = new Nearest(k)
  const seen = new Set<string>()
  // The newest vectors of a chunk count: its document may have been completed again.
  for (const rows of [newer, ...found.map((scanned) => scanned.rows).toReversed()])
    for (const { documentId, docId, chunkIndex, similarity } of rows) {
      const name = `${documentId} ${chunkIndex}`
      if (seen.has(name)) continue
      seen.add(name)
      const own = rows === newer ? 0 : margin
      nearest.offer({ documentId, docId, chunkIndex, upper: similarity + own, lower: similarity - own })
    }
  return {
    candidates: nearest.inOrder(),
    isApproximate,
    // Rows that are skipped take places of others in their table.
    others: Math.max(...found.map(({ others }) => others + margin)),
    vectors: searched.reduce((sum, { rowCount }) => sum + rowCount, newer.length),
  }
}

interface RowsOfTable {
  readonly rows: readonly NearRow[]
  /** No other row of the table has a higher similarity. */
  readonly others: number
}

function rowsOfScan(rows: readonly NearRow[], limit: number): RowsOfTable {
  const others = rows.length < limit ? Number.NEGATIVE_INFINITY : Math.min(...rows.map(({ similarity }) => similarity))
  return { rows, others }
}

async function rowsIn(
  model: LanceModel,
  table: ListedTable,
  search: VectorSearch,
  vector: Float32Array,
): Promise<RowsOfTable> {
  const { tables } = model
  const { k, allowed, collectionIds } = search
  const own = collectionIds.filter((id) => table.collectionIds.includes(id))
  // The rows of a collection that has its own table stay in older ones.
  const isOwn = table.ownCollectionId !== null
  const scan = { vector, collectionIds: isOwn ? null : own, documentIds: null, limit: k, approximation: null }
  const approximation = approximationOf(model, table, search)
  if (allowed === null) return rowsOfScan(await tables.nearest(table, { ...scan, approximation }), k)
  if (approximation !== null) {
    const limit = orderedRows(table, k, allowed)
    const ids = new Set(allowed)
    const ordered = await tables.nearest(table, { ...scan, limit, approximation })
    const passing = ordered.filter(({ documentId }) => ids.has(documentId)).slice(0, k * moreRows)
    if (passing.length >= k || ordered.length < limit) {
      const documentIds = [...new Set(passing.map(({ documentId }) => documentId))]
      return rowsOfScan(documentIds.length === 0 ? [] : await tables.nearest(table, { ...scan, documentIds }), k)
    }
  }
  if (allowed.length <= idsAtOnce || allowed.length * allowedShare < table.rowCount) {
    const pages: RowsOfTable[] = []
    for (let from = 0; from < allowed.length; from += idsAtOnce) {
      const documentIds = [...allowed.subarray(from, from + idsAtOnce)]
      pages.push(rowsOfScan(await tables.nearest(table, { ...scan, documentIds }), k))
    }
    return { rows: pages.flatMap(({ rows }) => rows), others: Math.max(...pages.map(({ others }) => others)) }
  }
  const ids = new Set(allowed)
  for (let limit = k * moreRows; ; limit *= moreRows) {
    const found = await tables.nearest(table, { ...scan, limit })
    const passing = found.filter(({ documentId }) => ids.has(documentId))
    if (passing.length >= k || found.length < limit) return { rows: passing, others: rowsOfScan(found, limit).others }
  }
}

/** With a filter, the bits alone say which rows may be the nearest: those that pass are compared. Few that pass are compared at once. */
function approximationOf(
  { minOrdered = idsAtOnce }: LanceModel,
  table: ListedTable,
  { k, allowed, mayApproximate }: VectorSearch,
): TableScan['approximation'] {
  if (!mayApproximate || table.index !== 'approximate') return null
  if (allowed === null) return 'compared'
  return allowed.length > minOrdered && orderedRows(table, k, allowed) <= maxOrderedRows ? 'ordered' : null
}

/** How many rows to take so that enough of them pass. */
const orderedRows = ({ rowCount }: ListedTable, k: number, allowed: Float64Array): number =>
  Math.ceil((k * moreRows * rowCount) / allowed.length)

/** There are few: `fillSome` moves them into a table when they are many. */
async function readNewer(
  { database, modelId }: LanceModel,
  { state, search, allowed }: TableSearch,
  query: Float32Array,
): Promise<readonly NearRow[]> {
  const { position, newest, vectorLength } = state
  if (position >= newest || vectorLength === null) return []
  const rows = await database.rows(sql<{ id: string; doc_id: string; collection_id: number }>`
    select d.id, d.doc_id, d.collection_id from docket_documents.document_embedding e
    join docket_documents.document d on d.id = e.document_id
    where e.model_id = ${modelId} and e.position > ${position} and ${documentCounts(search)}`)
  const ids = allowed === null ? null : new Set(allowed)
  const documents = rows
    .map(({ id, doc_id, collection_id }) => ({ id: Number(id), docId: doc_id, collectionId: collection_id, position }))
    .filter(({ id }) => ids === null || ids.has(id))
  const found: NearRow[] = []
  for await (const some of storedVectors(database, modelId, documents, vectorLength))
    for (const { collectionId, documentId, docId, firstChunk, numbers } of some) {
      const length = vectorLength || numbers.length
      if (length !== query.length) continue
      for (let at = 0; (at + 1) * length <= numbers.length; at++) {
        const similarity = similarityOf(unitLength(numbers.subarray(at * length, (at + 1) * length)), query)
        found.push({ collectionId, documentId, docId, chunkIndex: firstChunk + at, similarity })
      }
    }
  return found
}
