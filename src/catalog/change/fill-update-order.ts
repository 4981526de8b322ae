import { setTimeout as delay } from 'node:timers/promises'
import { LOCKS } from '../../database/advisory-locks.ts'
import type { Database } from '../../database/database.ts'
import { onOwnConnection, type RunAlone, takeLock } from '../../database/on-own-connection.ts'
import { sql } from '../../kernel/sql.ts'

/** The task name for docket_system.add_job. */
export const FILL_UPDATE_ORDER = 'fill_update_order'

/** Rows per transaction. A writer waits for one transaction at most: a tenth of a second or two. */
const ROWS_AT_ONCE = 5_000

/** If writers hold locks on some records, the job waits for these and not for later writers. */
const RETRY_MS = 200

interface Waiting {
  readonly id: string
  readonly table: string
}

/**
 * Adds the rows of earlier records to docket_system.updated_record, while others read and write the table. Then lists use these rows, and
 * the index that served them is dropped: it made PostgreSQL write all indexes of a row at each change.
 */
export async function fillUpdateOrders(database: Database, rowsAtOnce = ROWS_AT_ONCE): Promise<void> {
  await onOwnConnection(database, async (run) => {
    await takeLock(run, LOCKS.updateOrder)
    for (const waiting of await readWaiting(database)) await fill(database, waiting, { run, rowsAtOnce })
    for (const { table } of await readReady(database)) await dropReplacedIndex(run, table)
  })
}

/** For tables that waited while no worker was notified: each process calls it once when it starts to work. */
export async function notifyOfUpdateOrders(database: Database): Promise<void> {
  await database.rows(sql`
    select docket_system.add_job(${FILL_UPDATE_ORDER}) where exists (
      select from docket_system.update_order o
      where not o.ready or to_regclass(format('docket.%I', o.storage_table || '_sys_updated_at_sys_id_idx')) is not null)`)
}

const readWaiting = (database: Database): Promise<readonly Waiting[]> =>
  database.rows<Waiting>(sql`
    select table_id::text as id, storage_table as table from docket_system.update_order where not ready order by table_id`)

const readReady = (database: Database): Promise<readonly Waiting[]> =>
  database.rows<Waiting>(sql`
    select table_id::text as id, storage_table as table from docket_system.update_order where ready order by table_id`)

async function fill(
  database: Database,
  { id }: Waiting,
  { run, rowsAtOnce }: { readonly run: RunAlone; readonly rowsAtOnce: number },
): Promise<void> {
  for (let before = await readProgress(database, id); before !== null; ) {
    await run(sql`select docket_system.fill_update_order(${id}::bigint, ${rowsAtOnce}::integer)`)
    const after = await readProgress(database, id)
    // Only locked records were left.
    if (after === before) await delay(RETRY_MS)
    before = after
  }
}

/** The sys_id up to which records have their rows; null: all have. */
async function readProgress(database: Database, id: string): Promise<string | null> {
  const [row] = await database.rows<{ filled_to: string }>(sql`
    select filled_to::text as filled_to from docket_system.update_order where table_id = ${id}::bigint and not ready`)
  return row?.filled_to ?? null
}

/** Reads in progress use it until they end. */
const dropReplacedIndex = (run: RunAlone, table: string): Promise<unknown> =>
  run(sql`drop index concurrently if exists ${sql.id('docket', `${table}_sys_updated_at_sys_id_idx`)}`)
