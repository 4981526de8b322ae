import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { Aborted, type CellRow, printEncodedQuery } from 'docket-client'
import { parseEncodedQuery } from 'docket-client/parse'
import { docket } from '../docket.ts'

export const blockRows = 100
/** More are not scrolled through: a filter finds sooner. */
export const maxRows = 10_000

export interface RowSource {
  readonly table: string
  readonly query: string
  readonly fields: readonly string[]
}

/** The same rows in the same order on every read: a last order that no two rows share. */
function withTieBreak(query: string): string {
  const read = parseEncodedQuery(query)
  if (!read.ok || read.value.orders.some(({ path }) => path.join('.') === 'sys_id')) return query
  const last = { path: ['sys_id'], direction: 'descending', position: 0 } as const
  return printEncodedQuery({ ...read.value, orders: [...read.value.orders, last] })
}

/** A long text would be read for a cell that shows its first words; the form reads it whole. */
const maxTextUnits = '300'

/** Rows of the blocks that are in view. They never wait for the total, which is a request of its own. */
export function useRows({ table, query, fields }: RowSource, blocks: readonly number[]) {
  const client = useQueryClient()
  const results = useQueries({
    queries: blocks.map((block) => ({
      queryKey: ['rows', table, query, fields.join(','), block],
      placeholderData: keepPreviousData,
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        docket.table(table).page(withTieBreak(query), {
          fields: ['sys_id', ...fields],
          display: 'all',
          limit: blockRows,
          offset: block * blockRows,
          parameters: { sysparm_max_text: maxTextUnits },
          signal,
        }),
    })),
  })
  const rows = new Map<number, CellRow>()
  for (const [at, block] of blocks.entries()) {
    const page = results[at]
    if (page?.isPlaceholderData === true && page.data === undefined) continue
    for (const [index, row] of (page?.data?.rows ?? []).entries()) rows.set(block * blockRows + index, row)
  }
  const first = results[0]
  // Cancel leaves a query without data that nothing fetches.
  const isCancelled = results.some(({ isPending, fetchStatus }) => isPending && fetchStatus === 'idle')
  const failure = results.find(({ error }) => error !== null)?.error
  return {
    rows,
    isLoading: !isCancelled && results.every(({ data }) => data === undefined),
    isStale: results.some(({ isPlaceholderData }) => isPlaceholderData),
    error: failure ?? (isCancelled ? new Aborted('cancelled') : null),
    retry: () => void Promise.all(results.map(({ refetch }) => refetch())),
    cancel: () => void client.cancelQueries({ queryKey: ['rows', table, query] }),
    /** Before the total is known: what the first block says. */
    knownRows: first?.data === undefined ? 0 : first.data.rows.length + (first.data.nextCursor === null ? 0 : 1),
  }
}

export interface Total {
  readonly count: number
  /** There are more than `count`. */
  readonly isOver: boolean
}

export function useTotal(table: string, query: string) {
  return useQuery({
    queryKey: ['total', table, query],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Total> => {
      const { total, totalOver } = await docket
        .table(table)
        .page(query, { fields: ['sys_id'], limit: 1, total: true, signal })
      return { count: total ?? totalOver ?? 0, isOver: total === null }
    },
  })
}
