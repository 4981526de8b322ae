import { servedIdOfRow } from '../../column-types/served-id.ts'
import { LOCKS } from '../../database/advisory-locks.ts'
import type { Database } from '../../database/database.ts'
import { onOwnConnection, type RunAlone, takeLock } from '../../database/on-own-connection.ts'
import { sql } from '../../kernel/sql.ts'
import { GIVEN_ID } from '../given-ids.ts'

/** The task name for docket_system.add_job. */
export const INDEX_SERVED_IDS = 'index_served_ids'

interface Hierarchy {
  /** The sys_id of its root. */
  readonly id: string
  readonly schema: string
  readonly table: string
  /** The column with ids of another system; null: some records have well-known ids only. */
  readonly column: string | null
  readonly prefix: string
  /** Well-known ids by sys_id; null: none. */
  readonly known: Readonly<Record<string, string>> | null
}

/**
 * Builds the indexes on the sys_ids as another API serves them, of the hierarchies whose records have ids of another system, while others
 * read and write their tables: lists in the order of these ids cost the same at any depth. If a build fails, the job is run again.
 */
export async function indexServedIds(database: Database): Promise<void> {
  await onOwnConnection(database, async (run) => {
    await takeLock(run, LOCKS.indexBuilding)
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
    select t.sys_id::text as id, t.storage_schema as schema, t.storage_table as "table", c.storage_column as "column", s.prefix, k.known
    from docket.sys_db_table t
      left join docket.sys_db_column c on c.table_id = t.sys_id and c.column_name = ${GIVEN_ID} and c."unique" and c.read_only
        and c.storage_column is not null
      left join (select of_table, json_object_agg(sys_id, id order by sys_id) as known from docket_system.well_known_id group by 1) k
        on k.of_table = t.name
      join pg_class p on p.oid = to_regclass(format('%I.%I', t.storage_schema, t.storage_table))
      cross join docket_system.served_id s
    where t.adopted_key is null and (c.sys_id is not null or (k.of_table is not null and p.reltuples >= ${MIN_ROWS}))
      and not exists (select from pg_index i join pg_class r on r.oid = i.indexrelid where i.indrelid = p.oid and i.indisvalid
        and r.relname = format('served_%s_%s', case when c.sys_id is null then 'known' else 'id' end, t.sys_id))`)

/** A table with fewer rows is sorted as fast as an index is read. */
const MIN_ROWS = 10_000

async function build({ id, schema, table, column, prefix, known }: Hierarchy, run: RunAlone): Promise<void> {
  const name = `served_${column === null ? 'known' : 'id'}_${id}`
  // The ids of another system came later: the earlier index has another expression.
  if (column !== null) await run(sql`drop index concurrently if exists ${sql.id(schema, `served_known_${id}`)}`)
  // An index that an interrupted build left cannot be used.
  await run(sql`drop index concurrently if exists ${sql.id(schema, name)}`)
  const wellKnown = known === null ? undefined : new Map(Object.entries(known))
  const given = column === null ? null : sql.id(column)
  const served = servedIdOfRow(sql.id('sys_id'), given, { prefix, wellKnown })
  await run(sql`create index concurrently ${sql.id(name)} on ${sql.id(schema, table)} (${served})`)
}
