import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { Aborted, type CellRow, printEncodedQuery } from 'docket-client'
import { parseEncodedQuery } from 'docket-client/parse'
import { docket } from '../docket.ts'

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

/** Adds a unique last order, so that every read returns the rows in the same order. */
function withTieBreak(query: string): string {
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

const rowsQuery = ({ table, query, fields, part }: RowSource, block: number) =>
  queryOptions({
    queryKey: ['rows', table, query, fields.join(','), part.kind === 'after' ? part.cursor : part.kind, block],
    queryFn: ({ signal }) =>
      docket.table(table).page(part.kind === 'last' ? reversed(withTieBreak(query)) : withTieBreak(query), {
        fields: ['sys_id', ...fields],
        display: 'all',
        ...placeOf(part, block),
        parameters: { sysparm_max_text: maxTextUnits },
        signal,
      }),
  })

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
  const rows = new Map<number, CellRow>()
  for (const [at, block] of blocks.entries()) {
    const page = results[at]
    const first = part.kind === 'last' ? maxRows - 1 - mirrored(block) * blockRows : block * blockRows
    const step = part.kind === 'last' ? -1 : 1
    for (const [index, row] of (page?.data?.rows ?? []).entries()) rows.set(first + step * index, row)
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
    /** The first block has it before the total is known. */
    nextCursor: first?.data?.nextCursor ?? null,
    knownRows:
      first?.data === undefined
        ? 0
        : first.data.rows.length + (first.data.nextCursor === null || part.kind === 'after' ? 0 : 1),
  }
}

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
  return { limit: blockRows, offset: (part.kind === 'last' ? mirrored(block) : block) * blockRows }
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
