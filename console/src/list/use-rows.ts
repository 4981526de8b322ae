import {
  keepPreviousData,
  type Query,
  type QueryClient,
  queryOptions,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { Aborted, type CellRow, type Page, printEncodedQuery } from 'docket-client'
import { parseEncodedQuery } from 'docket-client/parse'
import { useRef } from 'react'
import { docket } from '../docket.ts'
import { type PlacedBlocks, placeBlocks, type ReadBlock } from './place-blocks.ts'

export const blockRows = 100
/** Max. rows of one part. Larger offsets would be slow. */
export const maxRows = 10_000
/** Max. rows of a part that begins at a cursor. */
export const cursorRows = 1_000

/** The part of a long list that is in the grid. */
export type Part =
  | { readonly kind: 'first' | 'last' }
  /** `before`: number of rows before the cursor. */
  | { readonly kind: 'after'; readonly cursor: string; readonly before: number }

export interface RowSource {
  readonly table: string
  readonly query: string
  readonly fields: readonly string[]
  readonly part: Part
}

/** The query as it is sent: with a unique last order, so that every read returns the rows in the same order. */
export function withTieBreak(query: string): string {
  const read = parseEncodedQuery(query)
  if (!read.ok || read.value.orders.some(({ path }) => path.join('.') === 'sys_id')) return query
  const last = { path: ['sys_id'], direction: 'descending', position: 0 } as const
  return printEncodedQuery({ ...read.value, orders: [...read.value.orders, last] })
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

/** The cursor after the first `rows` rows. */
export const cursorAfter = async (table: string, query: string, rows: number): Promise<string | null> =>
  (await docket.table(table).page(withTieBreak(query), { fields: ['sys_id'], limit: 1, offset: rows - 1 })).nextCursor

/** Max. length of text values in cells, which display only the first words; the form reads the whole text. */
const maxTextUnits = '300'

const keyOf = ({ table, query, fields, part }: RowSource): readonly string[] => [
  'rows',
  table,
  query,
  fields.join(','),
  part.kind === 'after' ? part.cursor : part.kind,
]

const rowsQuery = (source: RowSource, block: number) => {
  const { table, query, fields, part } = source
  return queryOptions({
    queryKey: [...keyOf(source), block],
    queryFn: ({ signal }) =>
      docket.table(table).page(part.kind === 'last' ? reversed(withTieBreak(query)) : withTieBreak(query), {
        fields: ['sys_id', ...fields],
        display: 'all',
        ...placeOf(part, block),
        parameters: { sysparm_max_text: maxTextUnits },
        signal,
      }),
  })
}

/** Reads the first block and the total before a list is rendered. An error is displayed by the list. */
export const readRows = (client: QueryClient, source: Omit<RowSource, 'part'>): Promise<unknown> =>
  Promise.all([
    client.prefetchQuery(rowsQuery({ ...source, part: { kind: 'first' } }, 0)),
    client.prefetchQuery(totalQuery(source.table, source.query)),
  ])

/** Reads the blocks that are in view. They do not wait for the total, which is a separate request. */
export function useRows(source: RowSource, wanted: readonly number[]) {
  const { table, query, part } = source
  const client = useQueryClient()
  const blocks = part.kind === 'after' ? [0] : wanted
  const results = useQueries({ queries: blocks.map((block) => rowsQuery(source, block)) })
  const { placed, isShifted } = usePlaced(source, blocks)
  const rows = new Map<number, CellRow>()
  const size = part.kind === 'after' ? cursorRows : blockRows
  for (const block of blocks) {
    const from = (part.kind === 'last' ? mirrored(block) : block) * blockRows
    for (let at = from; at < from + size; at += 1) {
      const row = placed.rows.get(at)
      if (row !== undefined) rows.set(part.kind === 'last' ? maxRows - 1 - at : at, row)
    }
  }
  const first = results[0]
  // A cancelled query stays without data, and nothing fetches it again.
  const isCancelled = results.some(({ isPending, fetchStatus }) => isPending && fetchStatus === 'idle')
  const failure = results.find(({ error }) => error !== null)?.error
  return {
    rows,
    isLoading: !isCancelled && results.every(({ data }) => data === undefined),
    /** When the oldest of the displayed rows were read; 0: none is displayed. */
    readAtMs: results.reduce(
      (oldest, { dataUpdatedAt: at }) => (at > 0 && (oldest === 0 || at < oldest) ? at : oldest),
      0,
    ),
    error: failure ?? (isCancelled ? new Aborted('cancelled') : null),
    retry: () => void Promise.all(results.map(({ refetch }) => refetch())),
    cancel: () => void client.cancelQueries({ queryKey: ['rows', table, query] }),
    isShifted,
    /** Number of rows, if the last block shows that the list ends elsewhere than its total says. */
    shiftedEnd: isShifted && part.kind === 'first' ? placed.end : null,
    readAgain: () => {
      // Blocks that are not in view are read when they come into view.
      client.removeQueries({ queryKey: keyOf(source), type: 'inactive' })
      for (const key of [keyOf(source), ['total', table]]) void client.invalidateQueries({ queryKey: key })
    },
    /** The first block has it before the total is known. */
    nextCursor: first?.data?.nextCursor ?? null,
    knownRows:
      first?.data === undefined
        ? 0
        : first.data.rows.length + (first.data.nextCursor === null || part.kind === 'after' ? 0 : 1),
  }
}

/** All blocks of a list that were read, and are not outdated, in their places. */
function usePlaced(source: RowSource, wanted: readonly number[]) {
  const cached = useQueryClient()
    .getQueryCache()
    .findAll({ queryKey: keyOf(source) })
    .filter(
      (query) =>
        query.state.data !== undefined &&
        // Outdated blocks in view stay until they are read again.
        (!query.state.isInvalidated || query.isActive() || wanted.includes(Number(query.queryKey.at(-1)))),
    )
  // Not the time of the read: an edit of a cell changes the rows and leaves it.
  const last = useRef<{ readonly pages: readonly unknown[]; readonly placed: PlacedBlocks<CellRow> } | null>(null)
  const pages = cached.map(({ state }) => state.data)
  const isSame =
    pages.length === last.current?.pages.length && pages.every((page, at) => page === last.current?.pages[at])
  if (last.current === null || !isSame)
    last.current = { pages, placed: placeBlocks(cached.map(readBlock), blockRows, rowId) }
  const { placed } = last.current
  // While blocks are read again, some are older than others.
  const isShifted = useRef(false)
  if (cached.every(({ state }) => state.fetchStatus === 'idle')) isShifted.current = placed.isShifted
  return { placed, isShifted: isShifted.current }
}

/** A block of the cache. All but the first have the last row of the block before. */
function readBlock({ queryKey, state }: Query): ReadBlock<CellRow> {
  const [kind, number] = [queryKey.at(-2), Number(queryKey.at(-1))]
  const { rows, nextCursor } = state.data as Page<CellRow>
  const block = kind === 'last' ? mirrored(number) : number
  const isLast = nextCursor === null
  return block === 0
    ? { block, rows, before: null, isLast }
    : { block, rows: rows.slice(1), before: rows[0] ?? null, isLast }
}

const rowId = (row: CellRow): string => String(row['sys_id']?.value)

/**
 * Reads the first rows of a list that is not displayed yet.
 *
 * @returns whether the list can be displayed: its rows, or why they cannot be read
 */
export function useFirstRows(source: Omit<RowSource, 'part'>, isWanted: boolean): boolean {
  const query = rowsQuery({ ...source, part: { kind: 'first' } }, 0)
  const { isPending, fetchStatus } = useQuery({ ...query, enabled: isWanted })
  return !isPending || (isWanted && fetchStatus === 'idle')
}

/** The last rows are read from the end. */
const mirrored = (block: number): number => maxRows / blockRows - 1 - block

function placeOf(
  part: Part,
  block: number,
): { readonly limit: number; readonly offset?: number; readonly cursor?: string } {
  if (part.kind === 'after') return { limit: cursorRows, cursor: part.cursor }
  const at = part.kind === 'last' ? mirrored(block) : block
  // With the last row of the block before: if it is another one by now, rows were added or removed.
  return at === 0 ? { limit: blockRows, offset: 0 } : { limit: blockRows + 1, offset: at * blockRows - 1 }
}

export interface Total {
  readonly count: number
  /** There are more than `count` rows. */
  readonly isOver: boolean
}

export async function readTotal(table: string, query: string, signal: AbortSignal): Promise<Total> {
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
