import { ConflictError, type CurrentRecord } from './errors.ts'
import type { CallOptions, Send } from './http.ts'
import type { EncodedQuery } from './query.ts'
import { printEncodedQuery } from './query.ts'
import { randomKey } from './random-key.ts'

/** A record as the API sends it. Its shape depends on `display`. */
export type Row = Readonly<Record<string, unknown>>

/** Stored value and display value of one field: what `display: 'all'` gives. */
export interface Cell {
  readonly value: unknown
  readonly display_value: string | null
}
export type CellRow = Readonly<Record<string, Cell>>

export interface ReadOptions extends CallOptions {
  readonly fields?: readonly string[] | undefined
  readonly view?: string | undefined
  /** Stored values (default), display values, or both for each field. */
  readonly display?: 'value' | 'display' | 'all' | undefined
  /** Further parameters, such as sysparm_max_text. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
}

export interface PageOptions extends ReadOptions {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly cursor?: string | undefined
  /** Whether the server counts the matching records. Default: no, because rows arrive sooner. */
  readonly total?: boolean | undefined
}

export interface Page<R> {
  readonly rows: readonly R[]
  /** null: not counted, or more than the server counts. */
  readonly total: number | null
  /** Set instead of `total` when there are more than this. */
  readonly totalOver: number | null
  /** Where the next page begins; null at the end. */
  readonly nextCursor: string | null
}

export interface ReadRecord<R> {
  readonly row: R
  /** Version of the record, for `ifMatch`. */
  readonly etag: string
  /** The whole body of the response: members beside `data`. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface WriteOptions extends ReadOptions {
  /** The body holds display values. */
  readonly inputDisplayValue?: boolean | undefined
}

export interface UpdateOptions extends WriteOptions {
  /** ETag that was read. `false`: change the record whatever its version is. */
  readonly ifMatch: string | false
}

export type Query = EncodedQuery | string

export interface StatsOptions extends CallOptions {
  /** Fields that make a group; a date may have a unit, as `opened_at:week`. */
  readonly groupBy?: readonly string[] | undefined
  readonly sum?: readonly string[] | undefined
  readonly avg?: readonly string[] | undefined
  readonly min?: readonly string[] | undefined
  readonly max?: readonly string[] | undefined
  /** Groups to keep, such as `count>10`. */
  readonly having?: string | undefined
  readonly orderBy?: string | undefined
  readonly display?: ReadOptions['display']
  readonly limit?: number | undefined
}

/** One group, or all records; `sum`, `avg`, `min` and `max` are objects by field. */
export interface StatsRow extends Row {
  readonly count: number
  /** The values that make the group; only with `groupBy`. */
  readonly group?: Row
}

/** A change of a record (docs/changes.md). */
export interface HistoryEntry {
  readonly change: string
  readonly operation: 'create' | 'update' | 'delete'
  readonly changed_at: string
  readonly changed_by: { readonly value: string; readonly display_value: string | null } | null
  readonly changes: readonly {
    readonly column: string
    readonly title: string
    readonly old_value: unknown
    readonly new_value: unknown
    readonly old_display_value: string | null
    readonly new_display_value: string | null
  }[]
}

/** Records of one table. */
export class TableClient<R = Row> {
  readonly table: string
  readonly #send: Send

  constructor(table: string, send: Send) {
    this.table = table
    this.#send = send
  }

  /** One page. A query too long for a URL is sent by POST. */
  async page(query: Query = '', options: PageOptions = {}): Promise<Page<R>> {
    const response = await this.#list(parametersOf(query, options), options)
    const { data } = (await response.json()) as { readonly data: readonly R[] }
    const { headers } = response
    return {
      rows: data,
      total: numberOf(headers.get('x-total-count')),
      totalOver: numberOf(headers.get('x-total-count-over')),
      nextCursor: headers.get('x-next-cursor'),
    }
  }

  /** All matching records, page by page, by cursor. */
  async *list(query: Query = '', options: PageOptions = {}): AsyncGenerator<R, void, undefined> {
    let cursor: string | null = options.cursor ?? '*'
    while (cursor !== null) {
      const page: Page<R> = await this.page(query, { limit: 500, ...options, cursor })
      yield* page.rows
      cursor = page.nextCursor
    }
  }

  async toArray(query: Query, options: PageOptions & { readonly max: number }): Promise<R[]> {
    const rows: R[] = []
    for await (const row of this.list(query, { limit: Math.min(500, options.max), ...options })) {
      rows.push(row)
      if (rows.length >= options.max) break
    }
    return rows
  }

  async first(query: Query = '', options: ReadOptions = {}): Promise<R | null> {
    const { rows } = await this.page(query, { ...options, limit: 1 })
    return rows[0] ?? null
  }

  /** How many records match, however many. */
  async count(query: Query = '', options: CallOptions = {}): Promise<number> {
    const parameters = new URLSearchParams({ sysparm_query: textOf(withoutOrder(query)) })
    const response = await this.#send({ ...options, method: 'GET', path: `/rest/v1/stats/${this.table}?${parameters}` })
    const { data } = (await response.json()) as { readonly data: readonly { readonly count: number }[] }
    return data[0]?.count ?? 0
  }

  /** Counts, sums and so on of the matching records, in groups; without `groupBy` one row. */
  async stats(query: Query = '', options: StatsOptions = {}): Promise<readonly StatsRow[]> {
    const { groupBy, sum, avg, min, max, having, orderBy, display, limit } = options
    const given = {
      sysparm_query: textOf(withoutOrder(query)),
      sysparm_group_by: groupBy?.join(','),
      sysparm_sum_fields: sum?.join(','),
      sysparm_avg_fields: avg?.join(','),
      sysparm_min_fields: min?.join(','),
      sysparm_max_fields: max?.join(','),
      sysparm_having: having,
      sysparm_order_by: orderBy,
      sysparm_display_value: DISPLAY[display ?? 'value'],
      sysparm_limit: limit?.toString(),
    }
    const response = await this.#send({
      ...options,
      method: 'GET',
      path: `/rest/v1/stats/${this.table}?${definedOf(given)}`,
    })
    return ((await response.json()) as { readonly data: readonly StatsRow[] }).data
  }

  /** Who changed what and when, newest first, page by page. */
  async *history(sysId: string, options: CallOptions = {}): AsyncGenerator<HistoryEntry, void, undefined> {
    let cursor: string | null = null
    do {
      const given = definedOf({ sysparm_limit: '100', sysparm_cursor: cursor ?? undefined })
      const path = `/rest/v1/history/${this.table}/${encodeURIComponent(sysId)}?${given}`
      const response = await this.#send({ ...options, method: 'GET', path })
      yield* ((await response.json()) as { readonly data: readonly HistoryEntry[] }).data
      cursor = response.headers.get('x-next-cursor')
    } while (cursor !== null)
  }

  async get(sysId: string, options: ReadOptions = {}): Promise<ReadRecord<R>> {
    return this.#one({ ...options, method: 'GET', path: this.#path(sysId, parametersOf(null, options)) })
  }

  /** Creates a record. The idempotency key makes a repeated request create no second one. */
  async create(values: Row, options: WriteOptions = {}): Promise<ReadRecord<R>> {
    const idempotencyKey = options.idempotencyKey ?? randomKey()
    const path = this.#path(null, parametersOf(null, options))
    return this.#one({ ...options, method: 'POST', path, body: values, idempotencyKey })
  }

  /** Changes the columns given; the others stay as they are. */
  async update(sysId: string, values: Row, options: UpdateOptions): Promise<ReadRecord<R>> {
    const headers = { ...options.headers, ...(options.ifMatch === false ? {} : { 'if-match': options.ifMatch }) }
    const path = this.#path(sysId, parametersOf(null, options))
    try {
      return await this.#one({ ...options, method: 'PATCH', path, body: values, headers })
    } catch (error) {
      if (error instanceof ConflictError && error.reason === 'stale')
        error.current = () => this.get(sysId, options) as Promise<CurrentRecord>
      throw error
    }
  }

  async delete(sysId: string, options: CallOptions = {}): Promise<void> {
    await this.#send({ ...options, method: 'DELETE', path: this.#path(sysId, new URLSearchParams()) })
  }

  async #one(request: Parameters<Send>[0]): Promise<ReadRecord<R>> {
    const response = await this.#send(request)
    const body = (await response.json()) as { readonly data: readonly R[] }
    const [row] = body.data
    if (row === undefined) throw new TypeError('The response holds no record.')
    return { row, etag: response.headers.get('etag') ?? '', body }
  }

  #list(parameters: URLSearchParams, options: CallOptions): Promise<Response> {
    const path = this.#path(null, parameters)
    if (path.length <= maxUrlUnits) return this.#send({ ...options, method: 'GET', path })
    const body = Object.fromEntries(parameters)
    return this.#send({ ...options, method: 'POST', path: `/rest/v1/table/${this.table}/query`, body, isRead: true })
  }

  #path(sysId: string | null, parameters: URLSearchParams): string {
    const address = `/rest/v1/table/${encodeURIComponent(this.table)}${sysId === null ? '' : `/${encodeURIComponent(sysId)}`}`
    return parameters.size === 0 ? address : `${address}?${parameters}`
  }
}

/** Proxies take 8 kB of request line. */
const maxUrlUnits = 7_000

/** A group of records has no order. In a text, a doubled `^` is a sign of a value and ends no part. */
const withoutOrder = (query: Query): Query =>
  typeof query === 'string'
    ? query.replace(/(^|(?<=(?:^|[^^])(?:\^\^)*)\^)ORDERBY[^^]*/g, '').replace(/^\^/, '')
    : { ...query, orders: [] }

const textOf = (query: Query): string => (typeof query === 'string' ? query : printEncodedQuery(query))
const numberOf = (header: string | null): number | null => (header === null ? null : Number(header))

const DISPLAY = { value: '0', display: '1', all: 'all' } as const

function parametersOf(query: Query | null, options: PageOptions & WriteOptions): URLSearchParams {
  const { fields, view, display, limit, offset, cursor, total, inputDisplayValue, parameters } = options
  const isList = query !== null
  const given = {
    sysparm_query: isList ? textOf(query) : undefined,
    sysparm_fields: fields?.join(','),
    sysparm_view: view,
    sysparm_display_value: DISPLAY[display ?? 'value'],
    sysparm_exclude_reference_link: '1',
    sysparm_limit: limit?.toString(),
    sysparm_offset: offset?.toString(),
    sysparm_cursor: cursor,
    sysparm_no_count: isList && total !== true ? '1' : undefined,
    sysparm_input_display_value: inputDisplayValue === true ? '1' : undefined,
    ...parameters,
  }
  return definedOf(given)
}

/** Without those that are not given. */
const definedOf = (given: Readonly<Record<string, string | undefined>>): URLSearchParams =>
  new URLSearchParams(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  )
