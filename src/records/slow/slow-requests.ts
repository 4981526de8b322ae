import { createHash } from 'node:crypto'
import { printShape } from '../../condition/print-shape.ts'
import type { Database, PreparedStatement } from '../../database/database.ts'
import type { AuthorizedRequest } from '../authorize/authorized-request.ts'
import { isRead, type Operation } from '../parse/record-request.ts'
import type { Predicate } from '../plan/planned-predicate.ts'
import type { RecordPlan } from '../plan/record-plan.ts'
import { type ProposedIndex, proposeIndexes } from './propose-indexes.ts'
import { type RowsRead, readRowsRead } from './read-rows-read.ts'
import { addRun, noTimes, type StatementTimes } from './statement-times.ts'

/** What record requests with the same condition and order have in common. Contains no values of requests. */
export interface RequestShape {
  readonly table: string
  readonly operation: Operation
  readonly shape: string
  readonly hasTotal: boolean
  readonly hasRule: boolean
  /** null: the operation is not a list. */
  readonly page: 'first' | 'offset' | 'cursor' | null
}

/** A shape whose statements were slow since the last call of `take`. */
export interface SlowShape extends RequestShape {
  readonly id: string
  readonly times: StatementTimes
  /** null: not known yet. */
  readonly rowsRead: RowsRead | null
  readonly indexes: readonly ProposedIndex[]
}

interface Counted {
  readonly shape: RequestShape
  readonly plan: RecordPlan
  readonly statement: Pick<PreparedStatement, 'text' | 'planning'>
  times: StatementTimes
  rowsRead: RowsRead | null
  /** One of its runs was explained, or is being explained. */
  isExplained: boolean
}

/** Maximum shapes that a process holds until they are stored. */
const MAX_SHAPES = 500

/**
 * Counts the statements of this process by plan, and remembers the plans that had a slow one. A fast statement costs two readings of
 * the clock and a few additions. The first slow read of a plan is run once more under EXPLAIN, one at a time, to count the rows that it reads.
 */
export class SlowRequests {
  readonly #database: Database
  readonly #slowMs: number
  readonly #slow = new Set<Counted>()
  #explaining: Promise<void> | null = null

  /** @param slowMs statements that take at least this long are slow */
  constructor(database: Database, slowMs: number) {
    this.#database = database
    this.#slowMs = slowMs
  }

  /** The callback that the database calls after each run of a plan's statement. */
  counterOf(
    plan: RecordPlan,
    authorized: AuthorizedRequest,
    statement: Counted['statement'],
  ): NonNullable<PreparedStatement['onRun']> {
    const shape = shapeOf(plan, authorized)
    const counted: Counted = {
      plan,
      statement,
      shape,
      times: noTimes(),
      rowsRead: null,
      isExplained: !isRead(shape.operation),
    }
    return (tookMs, rows, values) => {
      const isSlow = tookMs >= this.#slowMs
      addRun(counted.times, { tookMs, isSlow, rows: rowsOf(plan, rows[0]) })
      if (isSlow) this.#remember(counted, values)
    }
  }

  /** The shapes that were slow since the last call. */
  take(): readonly SlowShape[] {
    const taken = [...this.#slow].map((counted): SlowShape => {
      const { shape, times, rowsRead } = counted
      counted.times = noTimes()
      return { ...shape, id: idOf(shape), times, rowsRead, indexes: proposeIndexes(counted.plan) }
    })
    this.#slow.clear()
    return taken
  }

  /** Resolves when nothing is being explained. */
  async idle(): Promise<void> {
    await this.#explaining
  }

  #remember(counted: Counted, values: readonly unknown[]): void {
    if (this.#slow.size < MAX_SHAPES) this.#slow.add(counted)
    if (counted.isExplained || this.#explaining !== null) return
    counted.isExplained = true
    this.#explaining = readRowsRead(this.#database, counted.statement, values).then((rowsRead) => {
      this.#explaining = null
      counted.rowsRead = rowsRead
      if (rowsRead !== null && this.#slow.size < MAX_SHAPES) this.#slow.add(counted)
    })
  }
}

/** Index of the number of found rows in a list's result row (sql/read-statements.ts). */
const FOUND_AT = 3

/** Rows of a list's page; 0 for other operations. A list finds one row more than its limit if there are more. */
function rowsOf({ form }: RecordPlan, row: readonly unknown[] | undefined): number {
  if (form.kind !== 'list') return 0
  const found = Number(row?.[FOUND_AT] ?? 0)
  return typeof form.limit === 'number' ? Math.min(found, form.limit) : found
}

function shapeOf(plan: RecordPlan, { request, table }: AuthorizedRequest): RequestShape {
  const { operation, query, stats, paging } = request
  const groups = stats === null ? [] : [`group by ${stats.groupBy.map(({ key }) => key).join(', ') || 'nothing'}`]
  const isFirst = paging.page === 1 && (paging.offset ?? 0) === 0
  return {
    table: table.name,
    operation,
    shape: [isRead(operation) || query.where !== null ? printShape(query) : '', ...groups].filter(Boolean).join(' '),
    hasTotal: plan.form.kind === 'list' && plan.form.count,
    hasRule: isNarrowing(plan.readable),
    page: operation !== 'list' ? null : pageOf(plan, isFirst),
  }
}

function pageOf({ form }: RecordPlan, isFirst: boolean): RequestShape['page'] {
  if (form.kind !== 'list' || form.paging.kind === 'page') return isFirst ? 'first' : 'offset'
  return form.paging.nulls.length === 0 ? 'first' : 'cursor'
}

/** Whether the predicate selects only some rows of the table. Its class predicate selects the rows of the table itself. */
function isNarrowing(readable: Predicate): boolean {
  if (readable.kind === 'all' || readable.kind === 'any') return readable.of.some(isNarrowing)
  return readable.kind !== 'constant' && readable.kind !== 'class'
}

function idOf({ table, operation, shape, hasTotal, hasRule, page }: RequestShape): string {
  const parts = JSON.stringify([table, operation, shape, hasTotal, hasRule, page])
  return createHash('sha256').update(parts).digest('base64url').slice(0, 16)
}
