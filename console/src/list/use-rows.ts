import {
  keepPreviousData,
  type Query,
  type QueryClient,
  queryOptions,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { type CellRow, type Page, printEncodedQuery } from 'docket-client'
import { parseEncodedQuery } from 'docket-client/parse'
import { useEffect, useRef } from 'react'
import { docket } from '../docket.ts'
import { cancelledRead } from '../ui/first-read.tsx'
import {
  type BlockEnds,
  blocksToDrop,
  endsOf,
  extentOf,
  isBehindEnd,
  type LoadedBlock,
  recordEnds,
} from './block-ends.ts'
import { type PlacedBlocks, placeBlocks, type ReadBlock } from './place-blocks.ts'

export const blockRows = 100
/** Max. rows of a list whose blocks are read by offset, and so in any order. Larger offsets would be slow. */
export const maxRows = 10_000
/** Blocks of a list that stay in memory. */
const maxBlocks = 20
/** Index after the last row of a list that is read from its end: rows before it get smaller ones when they are read. */
const endIndex = 1_000_000_000

/** From where a list is read. */
export type Part = 'first' | 'last'

export interface RowSource {
  readonly table: string
  readonly query: string
  readonly fields: readonly string[]
  readonly part: Part
}

export const isLongList = (total: Total | null): boolean => total !== null && (total.isOver || total.count > maxRows)

/** Block of the row at an index, counted from where the list is read. */
export const blockAt = (part: Part, index: number): number =>
  Math.floor(Math.max(0, part === 'last' ? endIndex - 1 - index : index) / blockRows)

/** The query as it is sent: with a unique last order, so that every read returns the rows in the same order. */
export function withTieBreak(query: string): string {
  const read = parseEncodedQuery(query)
  if (!read.ok || read.value.orders.some(({ path }) => path.join('.') === 'sys_id')) return query
  const last = { path: ['sys_id'], direction: 'descending', position: 0 } as const
  return printEncodedQuery({ ...read.value, orders: [...read.value.orders, last] })
}

/** The query whose places the server names in an error: as it is sent, without the order that `withTieBreak` adds. */
export function withoutTieBreak(query: string): string {
  const sent = withTieBreak(query)
  const read = parseEncodedQuery(query)
  return sent === query || !read.ok ? query : printEncodedQuery(read.value)
}

/** Reverses the order: the last rows become the first. Empty values change sides, too. */
function reversed(query: string): string {
  const read = parseEncodedQuery(query)
  if (!read.ok) return query
  const orders = read.value.orders.map((order) => {
    const direction = order.direction === 'ascending' ? 'descending' : 'ascending'
    return { ...order, direction } as const
  })
  return printEncodedQuery({ ...read.value, orders })
}

/** Max. length of text values in cells, which display only the first words; the form reads the whole text. */
const maxTextUnits = '300'

const keyOf = ({ table, query, fields, part }: RowSource): readonly string[] => [
  'rows',
  table,
  query,
  fields.join(','),
  part,
]

const endsOfList = (client: QueryClient, { table, query, part }: RowSource): BlockEnds =>
  endsOf(client, `${part} ${table}?${query}`)

/** A block, and the last row of the block before, by its time of reading: if that is another one, rows were added or removed. */
interface Block extends Page<CellRow> {
  /** Perhaps only its sys_id. */
  readonly before: CellRow | null
}

const noBlock: Block = { rows: [], total: null, totalOver: null, nextCursor: null, before: null }

const rowsQuery = (source: RowSource, block: number, isShort = false) => {
  const { table, query, fields, part } = source
  return queryOptions({
    queryKey: [...keyOf(source), block],
    queryFn: async ({ signal, client }): Promise<Block> => {
      const end = isShort ? undefined : endsOfList(client, source).get(block - 1)
      const isByCursor = end != null && end.cursor !== null
      const isByOffset = block > 0 && !isByCursor
      // It had a place before the list got shorter. No offset is deep.
      if (isByOffset && (part === 'last' || end?.cursor === null || block * blockRows >= maxRows)) return noBlock
      const page = await docket
        .table(table)
        .page(part === 'last' ? reversed(withTieBreak(query)) : withTieBreak(query), {
          fields: ['sys_id', ...fields],
          display: 'all',
          limit: isByOffset ? blockRows + 1 : blockRows,
          ...(isByCursor
            ? { cursor: end.cursor }
            : // With the last row of the block before.
              { offset: isByOffset ? block * blockRows - 1 : 0 }),
          parameters: { sysparm_max_text: maxTextUnits },
          signal,
        })
      if (isByOffset) return { ...page, rows: page.rows.slice(1), before: page.rows[0] ?? null }
      const sysId = isByCursor ? end.sysIds.at(-1) : undefined
      return { ...page, before: sysId === undefined ? null : { sys_id: { value: sysId, display_value: sysId } } }
    },
  })
}

/** Reads the first block and the total before a list is rendered. An error is displayed by the list. */
export const readRows = (client: QueryClient, source: Omit<RowSource, 'part'>): Promise<unknown> =>
  Promise.all([
    client.prefetchQuery(rowsQuery({ ...source, part: 'first' }, 0)),
    client.prefetchQuery(totalQuery(source.table, source.query)),
  ])

/**
 * Reads the blocks that are in view: those of a short list by offset, and those of one that is or may be long by cursor, one after the
 * other. The blocks do not wait for the total, which is a separate request. Blocks far from the view are dropped.
 */
export function useRows(source: RowSource, wanted: readonly number[], total: Total | null) {
  const { table, query, part } = source
  const client = useQueryClient()
  const ends = endsOfList(client, source)
  const isShort = part === 'first' && total !== null && !isLongList(total)
  const reachable = extentOf(ends, blockRows).rows
  const readable = wanted.filter(
    (block) =>
      block === 0 ||
      (!isShort && ends.get(block - 1)?.cursor != null) ||
      (part === 'first' && block * blockRows < (isShort ? maxRows : Math.min(maxRows, reachable))),
  )
  const blocks = readable.length === 0 ? [0] : readable
  const results = useQueries({ queries: blocks.map((block) => rowsQuery(source, block, isShort)) })
  const { placed, isShifted } = usePlaced(source, blocks, isShort)
  useDropped(source, blocks)
  const rows = new Map<number, CellRow>()
  for (const block of blocks) {
    for (let at = block * blockRows; at < (block + 1) * blockRows; at += 1) {
      const row = placed.rows.get(at)
      if (row !== undefined) rows.set(part === 'last' ? endIndex - 1 - at : at, row)
    }
  }
  const extent = extentOf(ends, blockRows)
  // A block that is not full is the last one, whatever the total was when it was read. A full one can be: some tables have no cursors.
  const isEndRead = isShifted || placed.end === 0 || (placed.end ?? 0) % blockRows !== 0
  // One row stands for those that are read next.
  const known = extent.rows + Number(!extent.isWhole && (extent.rows > 0 || part === 'last'))
  // A cancelled query stays without data, and nothing fetches it again.
  const isCancelled = results.some(({ isPending, fetchStatus }) => isPending && fetchStatus === 'idle')
  const failure = results.find(({ error }) => error !== null)?.error
  return {
    rows,
    /** Number of rows that can be scrolled to; `null`: the total says it. */
    known: isShort ? (isEndRead ? placed.end : null) : known,
    /** All rows of the list can be scrolled to. */
    isWhole: isShort || extent.isWhole,
    /** Number of rows that were read, in view or dropped. */
    reached: extent.rows,
    /** The first row that is not read yet, from which the list goes on; null: there is none. */
    nextRow: isShort || extent.isWhole ? null : part === 'last' ? endIndex - 1 - extent.rows : extent.rows,
    /** Index after the last row. */
    endAt: (count: number): number => (part === 'last' ? endIndex : count),
    /** Also of a row that was dropped. */
    knownIdAt: (index: number): string => {
      const at = part === 'last' ? endIndex - 1 - index : index
      return ends.get(blockAt(part, index))?.sysIds[at % blockRows] ?? ''
    },
    /** Reads sys_ids by the indexes of rows. null: no block of the list is ever passed over. */
    readIds: isShort ? (from: number, to: number) => readIds(source, from, to) : null,
    isLoading: !isCancelled && results.every(({ data }) => data === undefined),
    /** When the oldest of the displayed rows were read; 0: none is displayed. */
    readAtMs: results.reduce(
      (oldest, { dataUpdatedAt: at }) => (at > 0 && (oldest === 0 || at < oldest) ? at : oldest),
      0,
    ),
    error: failure ?? (isCancelled ? cancelledRead : null),
    retry: () => void Promise.all(results.map(({ refetch }) => refetch())),
    cancel: () => void client.cancelQueries({ queryKey: ['rows', table, query] }),
    isShifted,
    readAgain: () => {
      // Blocks that are not in view are read when they come into view.
      client.removeQueries({ queryKey: keyOf(source), type: 'inactive' })
      for (const key of [keyOf(source), ['total', table]]) void client.invalidateQueries({ queryKey: key })
    },
  }
}

async function readIds({ table, query }: RowSource, from: number, to: number): Promise<readonly string[]> {
  const { rows } = await docket
    .table(table)
    .page(withTieBreak(query), { fields: ['sys_id'], display: 'all', offset: from, limit: to - from + 1 })
  return rows.map(rowId)
}

/** All blocks of a list that were read, and are not outdated, in their places. */
function usePlaced(source: RowSource, wanted: readonly number[], isShort: boolean) {
  const client = useQueryClient()
  const ends = endsOfList(client, source)
  const read = client
    .getQueryCache()
    .findAll({ queryKey: keyOf(source) })
    .filter(
      (query) =>
        query.state.data !== undefined &&
        // Outdated blocks in view stay until they are read again.
        (!query.state.isInvalidated || query.isActive() || wanted.includes(Number(query.queryKey.at(-1)))),
    )
  const moved = recordEnds(ends, read.map(loadedBlock))
  const cached = isShort ? read : read.filter(({ queryKey }) => !isBehindEnd(ends, Number(queryKey.at(-1)), blockRows))
  // Not the time of the read: an edit of a cell changes the rows and leaves it.
  const last = useRef<{ readonly pages: readonly unknown[]; readonly placed: PlacedBlocks<CellRow> } | null>(null)
  const pages = cached.map(({ state }) => state.data)
  const isSame =
    pages.length === last.current?.pages.length && pages.every((page, at) => page === last.current?.pages[at])
  if (last.current === null || !isSame)
    last.current = { pages, placed: placeBlocks(cached.map(readBlock), blockRows, rowId) }
  const { placed } = last.current
  const again = isShort ? '' : moved.join(',')
  // While blocks are read again, some are older than others.
  const isShifted = useRef(false)
  if (again === '' && cached.every(({ state }) => state.fetchStatus === 'idle')) isShifted.current = placed.isShifted
  const key = JSON.stringify(keyOf(source))
  useEffect(() => {
    for (const block of again === '' ? [] : again.split(',').map(Number)) {
      const queryKey = [...(JSON.parse(key) as string[]), block]
      client.removeQueries({ queryKey, exact: true, type: 'inactive' })
      void client.refetchQueries({ queryKey, exact: true, type: 'active' })
    }
  }, [client, key, again])
  return { placed, isShifted: isShifted.current }
}

/** Drops blocks that are far from those in view, and those of the other part. */
function useDropped(source: RowSource, wanted: readonly number[]): void {
  const client = useQueryClient()
  const list = JSON.stringify(keyOf(source))
  useEffect(() => {
    const key = JSON.parse(list) as string[]
    const loaded = client.getQueryCache().findAll({ queryKey: key })
    const dropped = new Set(
      blocksToDrop(
        loaded.map(({ queryKey }) => Number(queryKey.at(-1))),
        wanted,
        maxBlocks,
      ),
    )
    client.removeQueries({
      queryKey: key.slice(0, -1),
      type: 'inactive',
      predicate: ({ queryKey }) => queryKey.at(-2) !== key.at(-1) || dropped.has(Number(queryKey.at(-1))),
    })
  }, [client, list, wanted])
}

function readBlock({ queryKey, state }: Query): ReadBlock<CellRow> {
  const { rows, before, nextCursor } = state.data as Block
  return { block: Number(queryKey.at(-1)), rows, before, isLast: nextCursor === null }
}

function loadedBlock({ queryKey, state }: Query): LoadedBlock {
  const { rows, before, nextCursor: cursor } = state.data as Block
  return {
    block: Number(queryKey.at(-1)),
    cursor,
    sysIds: rows.map(rowId),
    before: before === null ? null : rowId(before),
    isReread: state.dataUpdateCount > 1,
  }
}

const rowId = (row: CellRow): string => String(row['sys_id']?.value)

/**
 * Reads the first rows of a list that is not displayed yet.
 *
 * @returns whether the list can be displayed: its rows, or why they cannot be read
 */
export function useFirstRows(source: Omit<RowSource, 'part'>, isWanted: boolean): boolean {
  const query = rowsQuery({ ...source, part: 'first' }, 0)
  const { isPending, fetchStatus } = useQuery({ ...query, enabled: isWanted })
  return !isPending || (isWanted && fetchStatus === 'idle')
}

export interface Total {
  readonly count: number
  /** There are more than `count` rows. */
  readonly isOver: boolean
}

export async function readTotal(table: string, query: string, signal?: AbortSignal): Promise<Total> {
  const { total, totalOver } = await docket
    .table(table)
    .page(query, { fields: ['sys_id'], limit: 1, total: true, signal })
  return { count: total ?? totalOver ?? 0, isOver: total === null }
}

const totalQuery = (table: string, query: string) =>
  queryOptions({
    queryKey: ['total', table, query],
    queryFn: ({ signal }) => readTotal(table, query, signal),
  })

export const useTotal = (table: string, query: string) =>
  useQuery({ ...totalQuery(table, query), placeholderData: keepPreviousData })
