import { ConflictError, type CurrentRecord, NotFound } from './errors.ts'
import { exportedRows } from './export-rows.ts'
import type { CallOptions, HttpRequest, Send } from './http.ts'
import { isWritten } from './is-written.ts'
import { readTable, type TableMeta } from './meta.ts'
import { pathSegment } from './path-segment.ts'
import { randomKey } from './random-key.ts'
import { RecordList } from './record-list.ts'
import type {
  ExplainOptions,
  Explanation,
  ExportOptions,
  HistoryEntry,
  Page,
  PageOptions,
  Query,
  ReadOptions,
  ReadRecord,
  StatsOptions,
  StatsRow,
  UpdateOptions,
  WriteOptions,
} from './record-options.ts'
import { DISPLAY, definedOf, numberOf, parametersOf, readingOf, textOf, withoutOrder } from './record-parameters.ts'
import type { AnyTables, CheckedFields, CreateOf, Display, FieldName, Row, RowOf, UpdateOf } from './table-types.ts'

/** `fields` whose paths all lead to columns. */
interface FieldsOf<T, R, F> {
  readonly fields?: CheckedFields<T, R, F> | undefined
}
type FieldList<R> = readonly FieldName<R>[] | undefined

/** Records of one table. */
export class TableClient<R = Row, T = AnyTables> {
  readonly table: string
  readonly #send: Send

  constructor(table: string, send: Send) {
    this.table = table
    this.#send = send
  }

  /** One page. A query too long for a URL is sent by POST. */
  async page<const F extends FieldList<R> = undefined, const D extends Display = 'value'>(
    query: Query<T, R> = '',
    options: PageOptions<F, D> & FieldsOf<T, R, F> = {},
  ): Promise<Page<RowOf<T, R, F, D>>> {
    const reading = readingOf(`/rest/v1/table/${this.#name}`, parametersOf(query, options))
    const response = await this.#send({ ...options, ...reading })
    const { data } = (await response.json()) as { readonly data: readonly RowOf<T, R, F, D>[] }
    const { headers } = response
    return {
      rows: data,
      total: numberOf(headers.get('x-total-count')),
      totalOver: numberOf(headers.get('x-total-count-over')),
      nextCursor: headers.get('x-next-cursor'),
    }
  }

  /** The matching records, which are read when they are asked for. */
  list<const F extends FieldList<R> = undefined, const D extends Display = 'value'>(
    query: Query<T, R> = '',
    options: PageOptions<F, D> & FieldsOf<T, R, F> = {},
  ): RecordList<RowOf<T, R, F, D>> {
    return new RecordList(
      (more) => this.page<F, D>(query, { ...options, ...more }),
      async () => (await this.stats(query, options))[0]?.count ?? 0,
      options,
    )
  }

  /**
   * All matching records as one stream of the server, in the order of the query. For a stream that goes on after a broken connection use
   * `list`.
   *
   * @throws NetworkError when the stream breaks: the records so far are not all
   * @throws Aborted when the signal ends it
   */
  export<const F extends FieldList<R> = undefined, const D extends 'value' | 'display' = 'value'>(
    query: Query<T, R> = '',
    options: ExportOptions<F, D> & FieldsOf<T, R, F> = {},
  ): AsyncGenerator<RowOf<T, R, F, D>, void, undefined> {
    return exportedRows(this.#send, this.table, query, options)
  }

  /** Counts, sums and other aggregates of the matching records, by group; without `groupBy` one row. */
  async stats(query: Query<T, R> = '', options: StatsOptions = {}): Promise<readonly StatsRow[]> {
    const { groupBy, sum, avg, min, max, having, orderBy, display, limit } = options
    const parameters = definedOf({
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
    })
    const response = await this.#send({ ...options, ...readingOf(`/rest/v1/stats/${this.#name}`, parameters) })
    return ((await response.json()) as { readonly data: readonly StatsRow[] }).data
  }

  /** Who changed what and when, newest first, page by page. */
  async *history(sysId: string, options: CallOptions = {}): AsyncGenerator<HistoryEntry, void, undefined> {
    let cursor: string | null = null
    do {
      const given = definedOf({ sysparm_limit: '100', sysparm_cursor: cursor ?? undefined })
      const path = `/rest/v1/history/${this.#name}/${pathSegment(sysId)}?${given}`
      const response = await this.#send({ ...options, method: 'GET', path })
      yield* ((await response.json()) as { readonly data: readonly HistoryEntry[] }).data
      cursor = response.headers.get('x-next-cursor')
    } while (cursor !== null)
  }

  /** Columns, choices, rights, views: the description of the table for the caller. */
  meta(options: CallOptions = {}): Promise<TableMeta> {
    return readTable(this.#send, this.table, options)
  }

  /** Which rule decides, and why. For administrators. */
  async explain(options: ExplainOptions = {}): Promise<Explanation> {
    const { operation, sysId, column, user } = options
    const given = definedOf({ table: this.table, operation, sys_id: sysId, column, user })
    const response = await this.#send({ ...options, method: 'GET', path: `/rest/v1/acl/explain?${given}` })
    return ((await response.json()) as { readonly data: Explanation }).data
  }

  async get<const F extends FieldList<R> = undefined, const D extends Display = 'value'>(
    sysId: string,
    options: ReadOptions<F, D> & FieldsOf<T, R, F> = {},
  ): Promise<ReadRecord<RowOf<T, R, F, D>, UpdateOf<R>>> {
    return this.#one(sysId, options, { method: 'GET', path: this.#path(sysId, parametersOf(null, options)) })
  }

  /** Creates a record. The idempotency key prevents a repeated request from creating a second one. */
  async create<const F extends FieldList<R> = undefined, const D extends Display = 'value'>(
    values: CreateOf<R>,
    options: WriteOptions<F, D> & FieldsOf<T, R, F> = {},
  ): Promise<ReadRecord<RowOf<T, R, F, D>, UpdateOf<R>>> {
    const idempotencyKey = options.idempotencyKey ?? randomKey()
    const path = this.#path(null, parametersOf(null, options))
    return this.#one(null, options, { method: 'POST', path, body: values, idempotencyKey })
  }

  /** Changes the given columns only. */
  async update<const F extends FieldList<R> = undefined, const D extends Display = 'value'>(
    sysId: string,
    values: UpdateOf<R>,
    options: UpdateOptions<F, D> & FieldsOf<T, R, F>,
  ): Promise<ReadRecord<RowOf<T, R, F, D>, UpdateOf<R>>> {
    const headers = { ...options.headers, ...(options.ifMatch === false ? {} : { 'if-match': options.ifMatch }) }
    const path = this.#path(sysId, parametersOf(null, options))
    const current = () => this.get<F, D>(sysId, options)
    try {
      return await this.#one(sysId, options, { method: 'PATCH', path, body: values, headers })
    } catch (error) {
      if (!(error instanceof ConflictError) || error.reason !== 'stale') throw error
      if (await this.#isAlreadyWritten(error, sysId, values as Row, options)) return current()
      error.current = current as () => Promise<CurrentRecord>
      throw error
    }
  }

  /** If an earlier attempt without a response has deleted the record, the call succeeds. */
  async delete(sysId: string, options: CallOptions = {}): Promise<void> {
    try {
      await this.#send({ ...options, method: 'DELETE', path: this.#path(sysId, new URLSearchParams()) })
    } catch (error) {
      if (!(error instanceof NotFound && error.isUncertain)) throw error
    }
  }

  /** The response of an earlier attempt was lost, and that attempt may have made the version stale. */
  async #isAlreadyWritten(
    error: ConflictError,
    sysId: string,
    values: Row,
    { signal, timeoutMs, headers, inputDisplayValue }: UpdateOptions,
  ): Promise<boolean> {
    if (!error.isUncertain || inputDisplayValue === true) return false
    const parameters = definedOf({ sysparm_fields: Object.keys(values).join(','), sysparm_exclude_reference_link: '1' })
    const path = this.#path(sysId, parameters)
    const response = await this.#send({ signal, timeoutMs, headers, method: 'GET', path })
    const { data } = (await response.json()) as { readonly data: readonly Row[] }
    return isWritten(values, data[0] ?? {})
  }

  /** @param sysId null: the sys_id of the created record */
  async #one<Found>(
    sysId: string | null,
    options: WriteOptions,
    request: HttpRequest,
  ): Promise<ReadRecord<Found, UpdateOf<R>>> {
    const response = await this.#send({ ...options, ...request })
    const body = (await response.json()) as { readonly data: readonly Found[] }
    const [row] = body.data
    if (row === undefined) throw new TypeError('The response holds no record.')
    const id = sysId ?? decodeURIComponent(response.headers.get('location')?.split('/').at(-1) ?? '')
    const etag = response.headers.get('etag') ?? ''
    const record = { row, etag, body }
    // Not enumerable, so that records can be compared and copied as data.
    return Object.defineProperty(record, 'update', {
      value: (values: UpdateOf<R>, more: WriteOptions = {}) => {
        const { fields, view, display, parameters } = options
        const wanted = { fields, view, display, parameters, ...more, ifMatch: etag } as UpdateOptions<undefined>
        return this.update(id, values, wanted)
      },
    }) as unknown as ReadRecord<Found, UpdateOf<R>>
  }

  get #name(): string {
    return pathSegment(this.table)
  }

  #path(sysId: string | null, parameters: URLSearchParams): string {
    const address = `/rest/v1/table/${this.#name}${sysId === null ? '' : `/${pathSegment(sysId)}`}`
    return parameters.size === 0 ? address : `${address}?${parameters}`
  }
}
