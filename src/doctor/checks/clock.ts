import { sql } from '../../kernel/sql.ts'
import type { Check, DatabaseGround } from '../check.ts'

/** Keys, leases and locks expire by the clock of PostgreSQL in some places and by that of Docket in others. */
export const checkClock: Check<DatabaseGround> = {
  name: 'clock',
  async run({ database, clock, limits }) {
    const beforeMs = clock.nowMs()
    const [row] = await database.rows(sql<{ ms: string }>`
      select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms`)
    const afterMs = clock.nowMs()
    const differenceMs = Number(row?.ms) - (beforeMs + afterMs) / 2
    const summary = 'that of PostgreSQL and that of this machine agree'
    if (Math.abs(differenceMs) <= limits.clockToleranceMs + (afterMs - beforeMs) / 2) return { summary, findings: [] }
    const seconds = Math.round(Math.abs(differenceMs) / 1_000)
    const what =
      differenceMs > 0
        ? `The clock of PostgreSQL is ${seconds} s ahead of that of this machine`
        : `The clock of PostgreSQL is ${seconds} s behind that of this machine`
    const cure = 'set both machines to one time source (timedatectl set-ntp true)'
    return { summary, findings: [{ fault: 'clock-differs', what, where: 'this machine and PostgreSQL', cure }] }
  },
}
