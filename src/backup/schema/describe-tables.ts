import { sql } from '../../kernel/sql.ts'
import { ownSchemas, type ReadStatements, type SchemaStatement } from './schema-statement.ts'
import { sequenceOptions } from './sequence-options.ts'

/** Tables with their columns in order; defaults, constraints and indexes come later. */
export async function describeTables(read: ReadStatements): Promise<readonly SchemaStatement[]> {
  const tables = await read(sql`
    select format('create %stable %I.%I (%s)%s', case c.relpersistence when 'u' then 'unlogged ' else '' end, n.nspname, c.relname,
      coalesce((select string_agg(concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
          case when a.attcollation not in (0, t.typcollation) then format('collate %I.%I', k.nspname, l.collname) end,
          case a.attgenerated when 's' then format('generated always as (%s) stored', pg_get_expr(d.adbin, d.adrelid))
                              when 'v' then format('generated always as (%s)', pg_get_expr(d.adbin, d.adrelid)) end,
          case when a.attidentity <> '' then format('generated %s as identity (sequence name %I.%I %s)',
            case a.attidentity when 'a' then 'always' else 'by default' end, q.nspname, q.relname, q.options) end,
          case when a.attnotnull then 'not null' end), ', ' order by a.attnum)
        from pg_attribute a join pg_type t on t.oid = a.atttypid
          left join pg_collation l on l.oid = a.attcollation left join pg_namespace k on k.oid = l.collnamespace
          left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum and a.attgenerated <> ''
          left join lateral (select m.nspname, s.relname, ${sequenceOptions(sql`o`)} as options
            from pg_depend e join pg_class s on s.oid = e.objid join pg_namespace m on m.oid = s.relnamespace
              join pg_sequence o on o.seqrelid = s.oid
            where e.classid = 'pg_class'::regclass and e.refclassid = 'pg_class'::regclass and e.deptype = 'i'
              and e.refobjid = a.attrelid and e.refobjsubid = a.attnum) as q on a.attidentity <> ''
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), ''),
      (select format(' with (%s)', string_agg(option, ', ' order by option)) from (
        select unnest(c.reloptions) as option
        union all select 'toast.' || unnest(h.reloptions) from pg_class h where h.oid = c.reltoastrelid) as o having count(*) > 0)) as text
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any (${ownSchemas}::text[]) and c.relkind = 'r'
    order by n.nspname, c.relname`)
  return [...tables, ...(await describeStorage(read)), ...(await describeComments(read))]
}

/** Storage options of columns that differ from the default of their type. */
function describeStorage(read: ReadStatements): Promise<readonly SchemaStatement[]> {
  return read(sql`
    select format('alter table %I.%I alter column %I %s', n.nspname, c.relname, a.attname, s.setting) as text
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_type t on t.oid = a.atttypid
      cross join lateral (values
        (case when a.attstorage <> t.typstorage then 'set storage '
          || case a.attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end end),
        (case a.attcompression when 'p' then 'set compression pglz' when 'l' then 'set compression lz4' end),
        (case when a.attstattarget > 0 then 'set statistics ' || a.attstattarget end)) as s (setting)
    where n.nspname = any (${ownSchemas}::text[]) and c.relkind = 'r' and s.setting is not null
    order by n.nspname, c.relname, a.attnum, s.setting`)
}

function describeComments(read: ReadStatements): Promise<readonly SchemaStatement[]> {
  return read(sql`
    select format('comment on %s is %L', case when d.objsubid = 0 then format('table %I.%I', n.nspname, c.relname)
      else format('column %I.%I.%I', n.nspname, c.relname, a.attname) end, d.description) as text
    from pg_description d join pg_class c on c.oid = d.objoid and d.classoid = 'pg_class'::regclass
      join pg_namespace n on n.oid = c.relnamespace
      left join pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid
    where n.nspname = any (${ownSchemas}::text[]) and c.relkind = 'r' order by n.nspname, c.relname, d.objsubid`)
}

export function describeDefaults(read: ReadStatements): Promise<readonly SchemaStatement[]> {
  return read(sql`
    select format('alter table %I.%I alter column %I set default %s', n.nspname, c.relname, a.attname, pg_get_expr(d.adbin, d.adrelid)) as text
    from pg_attrdef d join pg_class c on c.oid = d.adrelid join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
    where n.nspname = any (${ownSchemas}::text[]) and c.relkind = 'r' and a.attgenerated = ''
    order by n.nspname, c.relname, a.attnum`)
}

/** Foreign keys come last: they need the keys that they refer to. */
export async function describeConstraints(read: ReadStatements): Promise<{
  readonly ofTables: readonly SchemaStatement[]
  readonly foreignKeys: readonly SchemaStatement[]
}> {
  const select = (isForeign: boolean) =>
    read(sql`
      select format('alter table %I.%I add constraint %I %s', n.nspname, c.relname, o.conname, pg_get_constraintdef(o.oid)) as text,
        case when f.nspname <> all (${ownSchemas}::text[]) then format('%I.%I', f.nspname, r.relname) end as needs
      from pg_constraint o join pg_class c on c.oid = o.conrelid join pg_namespace n on n.oid = c.relnamespace
        left join pg_class r on r.oid = o.confrelid left join pg_namespace f on f.oid = r.relnamespace
      where n.nspname = any (${ownSchemas}::text[]) and c.relkind = 'r' and o.contype in ('p', 'u', 'x', 'c', 'f')
        and (o.contype = 'f') = ${isForeign}::boolean
      order by n.nspname, c.relname, o.contype = 'c' desc, o.conname`)
  return { ofTables: await select(false), foreignKeys: await select(true) }
}
