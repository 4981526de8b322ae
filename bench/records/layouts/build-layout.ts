import type { Database } from '../../../src/database/database.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { type Layout, QUEUES, type TableApart, TEXTS, tablesOf } from './layout.ts'

interface Index {
  readonly name: string
  readonly definition: string
  /** All of them, also of values that are only included. */
  readonly columns: readonly string[]
  readonly method: string
}

/** Changes the tables of a database of tasks to another layout. */
export async function buildLayout(database: Database, layout: Layout): Promise<void> {
  await database.rows(sql`create schema bench`)
  for (const table of tablesOf(layout)) await buildTable(database, table)
  for (const index of await readIndexes(database)) await moveIndex(database, index, layout)
  await database.rows(sql`vacuum (analyze)`)
}

async function buildTable(database: Database, { name, columns }: TableApart): Promise<void> {
  const [key, ...others] = columns
  const listed = columns.join(', ')
  const listOf = (row: string): string => columns.map((column) => `${row}.${column}`).join(', ')
  const changed = others.map((column) => `old.${column} is distinct from new.${column}`).join(' or ')
  const assigned = others.map((column) => `${column} = new.${column}`).join(', ')
  const statements = [
    `create table ${name} with (fillfactor = 90) as select ${listed} from docket.task order by sys_created_at, sys_id`,
    `alter table ${name} add primary key (${key})`,
    `create function ${name}_written() returns trigger language plpgsql as $$ begin
       if tg_op = 'INSERT' then insert into ${name} (${listed}) values (${listOf('new')});
       else update ${name} set ${assigned} where ${key} = new.${key}; end if;
       return null;
     end $$`,
    `create trigger ${name.split('.')[1]}_made after insert on docket.task for each row execute function ${name}_written()`,
    `create trigger ${name.split('.')[1]}_changed after update on docket.task for each row when (${changed})
       execute function ${name}_written()`,
  ]
  for (const statement of statements) await database.rows(sql.raw(statement))
}

const readIndexes = (database: Database): Promise<readonly Index[]> =>
  database.rows<Index>(sql`
    select c.relname::text as name, pg_get_indexdef(c.oid) as definition, m.amname::text as method,
      array(select a.attname::text from pg_attribute a where a.attrelid = x.indrelid and a.attnum = any (x.indkey)) as columns
    from pg_index x join pg_class c on c.oid = x.indexrelid join pg_am m on m.oid = c.relam
    where x.indrelid = 'docket.task'::regclass and not x.indisunique`)

async function moveIndex(database: Database, index: Index, layout: Layout): Promise<void> {
  const definition = index.method === 'gin' ? textIndex(index.definition, layout) : queueIndex(index, layout)
  if (definition === index.definition) return
  await database.rows(sql`drop index docket.${sql.id(index.name)}`)
  await database.rows(sql.raw(definition))
}

const onTable = (definition: string, { name }: TableApart): string => definition.replace('docket.task', name)

function queueIndex({ definition, columns }: Index, { queuesApart }: Layout): string {
  const isOfQueues = columns.length > 0 && columns.every((column) => QUEUES.columns.includes(column))
  // In another schema it keeps its name.
  return queuesApart && isOfQueues ? onTable(definition, QUEUES) : definition
}

/** A row of another table cannot have the references beside its texts, and where the task has no index on them, none of its indexes may have. */
function textIndex(definition: string, { queuesApart, textsApart, partsOnce }: Layout): string {
  const isOfParts = definition.includes('gin_trgm_ops')
  const bare = queuesApart || textsApart ? without(definition, REFERENCES) : definition
  const left = partsOnce && isOfParts ? without(bare, REPEATED) : bare
  return textsApart ? onTable(left, TEXTS) : left
}

const REFERENCES = /\(ARRAY\[caller, assigned_user, assignment_group\]\), /
const REPEATED = /(?:docket_system\.)?fold\(number\) \S+, (?:docket_system\.)?fold\(subject\) \S+, /

function without(definition: string, part: RegExp): string {
  if (!part.test(definition)) throw new Error(`this bench is written for other indexes than ${definition}`)
  return definition.replace(part, '')
}
