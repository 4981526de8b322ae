import { type Sql, sql } from '../kernel/sql.ts'

/**
 * How rows are shared among processes: a process that takes a row leases it, in the columns `leased_until` (UTC) and `worker`
 * (number of the process, `worker-number.ts`). It renews the lease while it works. A row is free again when its
 * lease is over, or at once when the process of its number is gone.
 */

/** Sets the columns of a row that this process takes. @param worker null: the process has no number at the moment */
export const takeLease = (seconds: number, worker: number | null): Sql<unknown> =>
  sql`${renewLease(seconds)}, worker = ${worker}`

export const renewLease = (seconds: number): Sql<unknown> =>
  sql`leased_until = clock_timestamp() at time zone 'UTC' + make_interval(secs => ${seconds})`

export const endLease: Sql<unknown> = sql`leased_until = null`

/** @param stays of which rows the lease stays */
export const endLeaseUnless = (stays: Sql<unknown>): Sql<unknown> =>
  sql`leased_until = case when ${stays} then leased_until end`

/** Whether nobody works on a row. @param row alias of its table in the statement; absent: the only table */
export const isFree = (row?: string): Sql<boolean> =>
  sql<boolean>`docket_documents.is_left(${column(row, 'leased_until')}, ${column(row, 'worker')})`

// ── leases of tables without a column for the worker, by a clock of the caller ──

export const takeLeaseUntil = (end: Sql<unknown>): Sql<unknown> => sql`leased_until = ${end}`

export const isFreeAt = (row: string, now: Sql<unknown>): Sql<boolean> =>
  sql<boolean>`coalesce(${column(row, 'leased_until')}, '-infinity') < ${now}`

/** The end of the lease of a row; null: it has none. */
export const leaseEnd = (row: string): Sql<unknown> => column(row, 'leased_until')

const column = (row: string | undefined, name: string): Sql<unknown> =>
  sql.ref(row === undefined ? name : `${row}.${name}`)
