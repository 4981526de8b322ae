import type { Database } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'
import type { SlowShape } from './slow-requests.ts'

/** Maximum stored shapes; those whose last slow run is the longest ago are deleted first. */
const MAX_STORED = 1_000

/** Adds the shapes to those that this and other processes have stored. */
export async function storeSlowRequests(database: Database, shapes: readonly SlowShape[], now: Date): Promise<void> {
  if (shapes.length === 0) return
  const seconds = now.toISOString().slice(0, 19)
  // Sorted, so that processes that store the same shapes do not deadlock.
  const rows = merged(shapes).sort((one, other) => (one.id < other.id ? -1 : 1))
  await database.inTransaction(async (session) => {
    for (const shape of rows) await session.rows(upsert(shape, seconds))
    await session.rows(sql`delete from docket_system.slow_request where id in (
      select id from docket_system.slow_request order by last_at desc, id offset ${MAX_STORED}::integer)`)
  })
}

/** Merges equal shapes: plans for different sets of roles have the same shape. */
function merged(shapes: readonly SlowShape[]): SlowShape[] {
  const byId = new Map<string, SlowShape>()
  for (const shape of shapes) {
    const known = byId.get(shape.id)
    byId.set(shape.id, known === undefined ? shape : bothOf(known, shape))
  }
  return [...byId.values()]
}

function bothOf(one: SlowShape, other: SlowShape): SlowShape {
  const [a, b] = [one.times, other.times]
  return {
    ...one,
    rowsRead: other.rowsRead ?? one.rowsRead,
    times: {
      runs: a.runs + b.runs,
      slowRuns: a.slowRuns + b.slowRuns,
      totalMs: a.totalMs + b.totalMs,
      maxMs: Math.max(a.maxMs, b.maxMs),
      rowsReturned: a.rowsReturned + b.rowsReturned,
      histogram: a.histogram.map((count, bucket) => count + (b.histogram[bucket] ?? 0)),
    },
  }
}

const upsert = ({ times, rowsRead, ...shape }: SlowShape, now: string) => sql`
  insert into docket_system.slow_request as s (id, table_name, operation, shape, has_total, has_rule, page, runs, slow_runs, total_ms, max_ms,
    histogram, rows_returned, rows_read, pages_read, first_at, last_at, indexes)
  values (${shape.id}, ${shape.table}, ${shape.operation}, ${shape.shape}, ${shape.hasTotal}, ${shape.hasRule}, ${shape.page},
    ${times.runs}, ${times.slowRuns}, ${times.totalMs}, ${times.maxMs}, ${times.histogram}::bigint[], ${times.rowsReturned},
    ${rowsRead?.rows ?? null}, ${rowsRead?.pages ?? null}, ${now}::timestamp, ${now}::timestamp, ${JSON.stringify(shape.indexes)}::jsonb)
  on conflict (id) do update set
    runs = s.runs + excluded.runs, slow_runs = s.slow_runs + excluded.slow_runs, total_ms = s.total_ms + excluded.total_ms,
    max_ms = greatest(s.max_ms, excluded.max_ms), rows_returned = s.rows_returned + excluded.rows_returned,
    histogram = array(select a + b from unnest(s.histogram, excluded.histogram) with ordinality as sums (a, b, n) order by n),
    rows_read = coalesce(excluded.rows_read, s.rows_read), pages_read = coalesce(excluded.pages_read, s.pages_read),
    last_at = greatest(s.last_at, excluded.last_at), indexes = excluded.indexes`
