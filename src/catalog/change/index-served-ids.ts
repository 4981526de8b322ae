import { sql } from 'kysely'
import { servedIdOfRow } from '../../column-types/served-id.ts'
import { LOCKS } from '../../database/advisory-locks.ts'
import type { Database } from '../../database/database.ts'
import { onOwnConnection, type RunAlone } from '../../database/on-own-connection.ts'
import { GIVEN_ID } from '../given-ids.ts'

/** The task name for docket_system.add_job. */
export const INDEX_SERVED_IDS = 'index_served_ids'

interface Hierarchy {
  /** The sys_id of its root. */
  readonly id: string
  readonly schema: string
  readonly table: string
  readonly column: string
  readonly prefix: string
}

/**
 * Builds the indexes on the sys_ids as another API serves them, of the hierarchies whose records have ids of another system, while others
 * read and write their tables: lists in the order of these ids cost the same at any depth. If a build fails, the job is run again.
 */
export async function indexServedIds(database: Database): Promise<void> {
  await onOwnConnection(database, async (run) => {
    await run(sql`select pg_advisory_lock(${LOCKS.indexBuilding})`)
    for (const hierarchy of await readUnindexed(database)) await build(hierarchy, run)
  })
}

/** After a hierarchy got ids of another system, and in each process when it starts to work. */
export async function notifyOfServedIds(database: Database): Promise<void> {
  if ((await readUnindexed(database)).length === 0) return
  await database.rows(sql`select docket_system.add_job(${INDEX_SERVED_IDS})`)
}

/** Hierarchies without a complete index on the served ids. */
const readUnindexed = (database: Database): Promise<readonly Hierarchy[]> =>
  database.rows<Hierarchy>(sql`
    select t.sys_id::text as id, t.storage_schema as schema, t.storage_table as "table", c.storage_column as "column", s.prefix
    from docket.sys_db_column c join docket.sys_db_table t on t.sys_id = c.table_id cross join docket_system.served_id s
    where c.column_name = ${GIVEN_ID} and c."unique" and c.read_only and c.storage_column is not null and t.adopted_key is null
      and not exists (select from pg_index i join pg_class r on r.oid = i.indexrelid
        where i.indrelid = to_regclass(format('%I.%I', t.storage_schema, t.storage_table)) and i.indisvalid and r.relname like 'served\\_id\\_%')`)

async function build({ id, schema, table, column, prefix }: Hierarchy, run: RunAlone): Promise<void> {
  const name = `served_id_${id}`
  // An index that an interrupted build left cannot be used.
  await run(sql`drop index concurrently if exists ${sql.id(schema, name)}`)
  const served = servedIdOfRow(sql.id('sys_id'), sql.id(column), prefix)
  await run(sql`create index concurrently ${sql.id(name)} on ${sql.id(schema, table)} (${served})`)
}
