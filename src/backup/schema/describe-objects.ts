import { sql } from '../../kernel/sql.ts'
import { ownSchemas, type ReadStatements, type SchemaStatement } from './schema-statement.ts'
import { sequenceOptions } from './sequence-options.ts'

/**
 * If a server does not have a collation (PostgreSQL before 17 has no built-in ones), the next best one is used. The columns of pg_collation
 * differ between versions of PostgreSQL, so they are read from the row as JSON.
 */
export function describeCollations(read: ReadStatements): Promise<readonly SchemaStatement[]> {
  return read(sql`
    select format('create collation %I.%I (provider = %s, %s%s%s)', c.schema, c.row ->> 'collname', case c.row ->> 'collprovider'
        when 'b' then 'builtin' when 'i' then 'icu' else 'libc' end,
      case c.row ->> 'collprovider'
        when 'b' then format('locale = %L', c.row ->> 'colllocale')
        when 'i' then format('locale = %L', coalesce(c.row ->> 'colllocale', c.row ->> 'colliculocale', c.row ->> 'collcollate'))
        else format('lc_collate = %L, lc_ctype = %L', c.row ->> 'collcollate', c.row ->> 'collctype') end,
      case when (c.row ->> 'collisdeterministic')::boolean then '' else ', deterministic = false' end,
      ', rules = ' || quote_literal(c.row ->> 'collicurules')) as text,
      format('create collation %I.%I from pg_catalog."und-x-icu"', c.schema, c.row ->> 'collname') as fallback
    from (select n.nspname as schema, to_jsonb(k) as row from pg_collation k join pg_namespace n on n.oid = k.collnamespace
      where n.nspname = any (${ownSchemas}::text[])) as c
    order by c.schema, c.row ->> 'collname'`)
}

/** Sequences of identity columns are created with their tables. */
export function describeSequences(read: ReadStatements): Promise<readonly SchemaStatement[]> {
  return read(sql`
    select format('create sequence %I.%I as %s %s', n.nspname, c.relname, format_type(s.seqtypid, null), ${sequenceOptions(sql`s`)}) as text
    from pg_sequence s join pg_class c on c.oid = s.seqrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any (${ownSchemas}::text[]) and not exists (
      select from pg_depend e where e.classid = 'pg_class'::regclass and e.objid = c.oid and e.deptype = 'i')
    order by n.nspname, c.relname`)
}

/** Trigrams serve conditions on parts of texts. The target's server may not have the extension, or may have it in another schema. */
export function describeExtensions(read: ReadStatements): Promise<readonly SchemaStatement[]> {
  return read(sql`
    select format('create extension if not exists %I with schema %I', e.extname, n.nspname) as text, 'select' as fallback
    from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm'`)
}

/**
 * Without those of constraints, and without invalid ones that were never completely built. If a trigram index cannot be created, its row
 * waits for the extension.
 */
export function describeIndexes(read: ReadStatements): Promise<readonly SchemaStatement[]> {
  return read(sql`
    select pg_get_indexdef(i.indexrelid) as text,
      case when pg_get_indexdef(i.indexrelid) like '%gin_trgm_ops%' then
        format('update docket.sys_db_index set state = ''waiting'', storage_index = null where storage_index = %L', c.relname) end as fallback
    from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
      join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any (${ownSchemas}::text[]) and t.relkind = 'r' and i.indisvalid
      and not exists (select from pg_constraint o where o.conindid = i.indexrelid and o.contype in ('p', 'u', 'x'))
    order by n.nspname, t.relname, c.relname`)
}

/** Statistics for the planner about expressions and about combinations of columns. */
export function describeStatistics(read: ReadStatements): Promise<readonly SchemaStatement[]> {
  return read(sql`
    select pg_get_statisticsobjdef(s.oid) as text from pg_statistic_ext s join pg_namespace n on n.oid = s.stxnamespace
    where n.nspname = any (${ownSchemas}::text[]) order by n.nspname, s.stxname`)
}

/** Views are created after the views that they use; then the owners of sequences are set. */
export async function describeViews(read: ReadStatements): Promise<readonly SchemaStatement[]> {
  const views = await read(sql`
    with recursive view as (
      select c.oid, n.nspname, c.relname, c.reloptions from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any (${ownSchemas}::text[]) and c.relkind = 'v'),
    reading as (
      select distinct r.ev_class as reader, d.refobjid as source from pg_rewrite r
        join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
      where d.refobjid <> r.ev_class and r.ev_class in (select oid from view) and d.refobjid in (select oid from view)),
    level (oid, depth) as (
      select oid, 0 from view union select r.reader, l.depth + 1 from level l join reading r on r.source = l.oid)
    select format('create view %I.%I%s as %s', v.nspname, v.relname, ' with (' || array_to_string(v.reloptions, ', ') || ')',
      pg_get_viewdef(v.oid)) as text
    from view v order by (select max(l.depth) from level l where l.oid = v.oid), v.nspname, v.relname`)
  const owned = await read(sql`
    select format('alter sequence %I.%I owned by %I.%I.%I', n.nspname, s.relname, m.nspname, t.relname, a.attname) as text
    from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S' join pg_namespace n on n.oid = s.relnamespace
      join pg_class t on t.oid = d.refobjid join pg_namespace m on m.oid = t.relnamespace
      join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
    where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and d.deptype = 'a'
      and n.nspname = any (${ownSchemas}::text[]) order by n.nspname, s.relname`)
  return [...views, ...owned]
}

export async function describeTriggers(read: ReadStatements): Promise<readonly SchemaStatement[]> {
  const made = await read(sql`
    select pg_get_triggerdef(t.oid) as text
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any (${ownSchemas}::text[]) and not t.tgisinternal order by n.nspname, c.relname, t.tgname`)
  const switched = await read(sql`
    select format('alter table %I.%I %s trigger %I', n.nspname, c.relname,
      case t.tgenabled when 'D' then 'disable' when 'A' then 'enable always' else 'enable replica' end, t.tgname) as text
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any (${ownSchemas}::text[]) and not t.tgisinternal and t.tgenabled <> 'O'
    order by n.nspname, c.relname, t.tgname`)
  return [...made, ...switched]
}
