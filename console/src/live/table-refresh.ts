import type { InvalidateQueryFilters, Query, QueryClient, QueryFilters } from '@tanstack/react-query'
import { areRowsHeld, heldTables, isOfHeldRows } from './held-rows.ts'

/** Several events in this time cause one refresh. */
export const refreshMs = 500

export interface RefreshedList {
  /** Text of its query. */
  readonly query: string
  /** Called when it begins to be read. @returns called when it is read */
  readonly begin: () => () => void
}

/**
 * Reads the lists of a table again, all of them at once, and never while they are being read: what is wanted meanwhile is one more reading
 * after it, however many events there were. While a cell of the table is open, they wait.
 */
export class TableRefresh {
  readonly #client: QueryClient
  readonly #table: string
  /** In the page. */
  readonly #lists = new Set<RefreshedList>()
  readonly #wanted = new Set<RefreshedList>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isDue = false
  #isRunning = false

  constructor(client: QueryClient, table: string) {
    this.#client = client
    this.#table = table
  }

  join(list: RefreshedList): void {
    this.#lists.add(list)
  }

  leave(list: RefreshedList): void {
    this.#lists.delete(list)
    this.#wanted.delete(list)
    // From now on, nobody follows what happens to its rows.
    void this.#outdate([list], 'none', new Set([...this.#lists].map(({ query }) => query)))
  }

  soon(list: RefreshedList): void {
    this.#wanted.add(list)
    this.#timer ??= setTimeout(() => this.#run(), refreshMs)
  }

  now(list: RefreshedList): void {
    this.#wanted.add(list)
    this.#run()
  }

  /** All lists, unless they are being read: each of them asks for it. */
  poll(): void {
    if (this.#isRunning) return
    this.#want(this.#lists)
    this.#run()
  }

  /** Gives up what is being read. */
  pause(): void {
    if (stopReading(this.#client, this.#table)) this.whenClosed()
  }

  /** Lists with an open cell are read when it is closed. */
  whenClosed(): void {
    this.#want(this.#lists)
  }

  /** No cell is open. */
  resume(): void {
    // The groups that the user has changed.
    const outdated = { queryKey: ['groups', this.#table], type: 'active', predicate: isOutdated } as const
    if (this.#isDue && this.#wanted.size > 0) this.#run()
    else void this.#client.refetchQueries(outdated, { cancelRefetch: false })
  }

  #want(lists: Iterable<RefreshedList>): void {
    for (const list of lists) if (this.#lists.has(list)) this.#wanted.add(list)
    this.#isDue = true
  }

  #run(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isDue = true
    void this.#read()
  }

  async #read(): Promise<void> {
    if (this.#isRunning || !this.#isDue || this.#wanted.size === 0 || areRowsHeld(this.#table)) return
    this.#isDue = false
    this.#isRunning = true
    const lists = [...this.#wanted]
    this.#wanted.clear()
    const ends = new Map(lists.map((list) => [list, list.begin()]))
    await this.#outdate(lists, 'active')
    this.#isRunning = false
    // A cell was opened meanwhile, and the reading perhaps given up.
    if (areRowsHeld(this.#table)) return this.#want(lists)
    for (const [list, end] of ends) if (this.#lists.has(list)) end()
    void this.#read()
  }

  /**
   * Rows and groups of all lists of the table, but no totals except those of these lists: a page has many.
   *
   * @param followed queries that stay as they are
   */
  async #outdate(
    lists: readonly RefreshedList[],
    refetchType: 'active' | 'none',
    followed: ReadonlySet<unknown> = new Set(),
  ): Promise<void> {
    const isPeek = ({ queryKey }: Query): boolean => queryKey[3] === 'peek'
    void outdateAndReread(this.#client, { queryKey: ['record', this.#table], predicate: isPeek, refetchType })
    const totals = [...new Set(lists.map(({ query }) => query))].map((query) => ['total', this.#table, query])
    const keys = [['rows', this.#table], ['groups', this.#table], ...totals]
    const predicate = ({ queryKey }: Query): boolean => !followed.has(queryKey[2])
    await Promise.all(keys.map((queryKey) => outdateAndReread(this.#client, { queryKey, predicate, refetchType })))
  }
}

/**
 * What is being read for the first time may be older than the change, and would count as new: it is read once more after that, unless the
 * user has cancelled it. Rows of a table with an open cell are read when that is closed.
 */
async function outdateAndReread(client: QueryClient, what: InvalidateQueryFilters): Promise<void> {
  const isFirst = ({ state }: Query): boolean => state.fetchStatus === 'fetching' && state.data === undefined
  const first = client.getQueryCache().findAll(what).filter(isFirst)
  await client.invalidateQueries(what)
  const again = first.filter((query) => query.state.data !== undefined && !isOfHeldRows(query))
  await Promise.all(again.map(({ queryKey }) => client.invalidateQueries({ ...what, queryKey, exact: true })))
}

const refreshes = new WeakMap<QueryClient, Map<string, TableRefresh>>()

/** That of all lists of the table in the page. */
export function refreshOf(client: QueryClient, table: string): TableRefresh {
  const known = refreshes.get(client) ?? new Map<string, TableRefresh>()
  refreshes.set(client, known)
  const refresh = known.get(table) ?? new TableRefresh(client, table)
  known.set(table, refresh)
  return refresh
}

/** Reads again what is displayed. Lists with an open cell follow when it is closed. */
export async function outdate(client: QueryClient, what: QueryFilters = {}): Promise<void> {
  for (const table of heldTables()) refreshOf(client, table).whenClosed()
  await client.invalidateQueries({ ...what, predicate: (query) => !isOfHeldRows(query) })
}

const isOutdated = ({ state }: Query): boolean => state.isInvalidated

/** Gives up what is being read again. @returns whether anything was */
function stopReading(client: QueryClient, table: string): boolean {
  const isRunning = ({ state }: Query): boolean => state.fetchStatus === 'fetching' && state.data !== undefined
  const running = ['rows', 'groups'].flatMap((key) =>
    client.getQueryCache().findAll({ queryKey: [key, table], predicate: isRunning }),
  )
  for (const { queryKey } of running) void client.cancelQueries({ queryKey, exact: true })
  return running.length > 0
}
