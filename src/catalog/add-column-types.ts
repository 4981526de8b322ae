import { COLUMN_TYPES } from '../column-types/column-types.ts'
import type { Session } from '../database/database.ts'
import { sql } from '../kernel/sql.ts'

/**
 * Adds the column types that the dictionary does not have yet, so that a new type needs no migration.
 *
 * @returns the names of those that were added
 */
export async function addColumnTypes(session: Session): Promise<readonly string[]> {
  const types = Object.entries(COLUMN_TYPES).map(([name, { title, storage }]) => ({
    name,
    title,
    storage: storage.type,
  }))
  const added = await session.rows<{ name: string }>(sql`
    insert into docket.sys_db_column_type (name, title, storage)
    select t.name, t.title, t.storage from jsonb_to_recordset(${JSON.stringify(types)}::jsonb) as t (name text, title text, storage text)
    where not exists (select from docket.sys_db_column_type y where y.name = t.name)
    on conflict (name) do nothing returning name`)
  return added.map(({ name }) => name)
}
