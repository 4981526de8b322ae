import { sql } from '../../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../../harness/start-docket.ts'

/** A server with two small tables whose columns have most types: `site` and `equipment`, which refers to it. */
export async function startWithEquipment(): Promise<RunningDocket> {
  const fresh = await freshDatabase()
  await fill(fresh)
  const running = await startDocket({ fresh })
  return {
    ...running,
    async close() {
      await running.close()
      await fresh.drop()
    },
  }
}

/** Adds the two tables. */
async function fill({ database }: FreshDatabase): Promise<void> {
  const statements = [
    sql`select docket_system.define_table('site', 'Sites', 'Площадки')`,
    sql`select docket_system.define_column('site', c.name, c.type, c.title, c.title, c.options) from (values
      ('name', 'string', 'Name', '{"mandatory":true,"display_by_ref":true}'::jsonb),
      ('part_of', 'reference', 'Part of', '{"reference":"site"}')) as c (name, type, title, options)`,
    sql`select docket_system.define_table('equipment', 'Equipment', 'Оборудование')`,
    sql`select docket_system.define_column('equipment', c.name, c.type, c.title, c.title, c.options) from (values
      ('name', 'string', 'Name */ of it', '{"mandatory":true,"display_by_ref":true,"max_length":40}'::jsonb),
      ('serial', 'string', 'Serial number', '{"unique":true}'),
      ('condition', 'choice', 'Condition', '{"default":"good"}'),
      ('size', 'string', 'Size', '{}'),
      ('labels', 'list', 'Labels', '{}'),
      ('sites', 'list', 'Sites', '{"reference":"site"}'),
      ('site', 'reference', 'Site', '{"reference":"site"}'),
      ('price', 'decimal', 'Price', '{}'),
      ('count', 'integer', 'Count', '{}'),
      ('weight', 'float', 'Weight', '{}'),
      ('is_lent', 'boolean', 'Lent', '{}'),
      ('due_at', 'datetime', 'Due', '{}'),
      ('details', 'json', 'Details', '{}'),
      ('notes', 'journal_input', 'Notes', '{}'),
      ('pin', 'password', 'PIN', '{}')) as c (name, type, title, options)`,
    sql`select docket_system.resolve_references()`,
    sql`select docket_system.define_choices('equipment', 'condition', '[["good","Good","Хорошее"],["it''s broken","Broken","Сломано"]]')`,
    sql`select docket_system.define_choices('equipment', 'size', '[["s","Small","Малый"],["l","Large","Большой"]]')`,
    sql`select docket_system.define_choices('equipment', 'labels', '[["fragile","Fragile","Хрупкое"],["heavy","Heavy","Тяжёлое"]]')`,
  ]
  for (const statement of statements) await database.rows(statement)
}
