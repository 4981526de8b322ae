import { sql } from '../../kernel/sql.ts'
import { ownSchemas, type ReadStatements, type SchemaStatement } from './schema-statement.ts'

/**
 * Functions are created before the tables, because defaults and generated columns call them; functions that take or return rows of a table,
 * or whose body is bound to tables at creation, are created after them.
 */
export async function describeFunctions(read: ReadStatements): Promise<{
  readonly withoutRowTypes: readonly SchemaStatement[]
  readonly withRowTypes: readonly SchemaStatement[]
}> {
  const select = (bound: boolean) =>
    read(sql`
      select pg_get_functiondef(p.oid) as text
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = any (${ownSchemas}::text[]) and p.prokind in ('f', 'p')
        and not exists (select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')
        and (p.prosrc = '' or exists (
          select from pg_type t left join pg_type m on m.oid = t.typelem
          where t.oid = any (p.prorettype || p.proargtypes::oid[] || coalesce(p.proallargtypes, '{}'))
            and (t.typrelid <> 0 or m.typrelid <> 0))) = ${bound}::boolean
      order by n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)`)
  return { withoutRowTypes: await select(false), withRowTypes: await select(true) }
}
