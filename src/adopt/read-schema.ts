import type { Session } from '../database/database.ts'
import { sql } from '../kernel/sql.ts'

/** A table or view as PostgreSQL's catalog describes it. */
export interface SchemaTable {
  readonly name: string
  /** pg_class.relkind: r table, p partitioned, v view, m materialized view, f foreign. */
  readonly kind: 'r' | 'p' | 'v' | 'm' | 'f'
  readonly comment: string | null
  readonly mayRead: boolean
  readonly mayWrite: boolean
  /** Tables of classic inheritance: their rows are also in the parent, where keys may be duplicated. */
  readonly hasHeirs: boolean
  readonly columns: readonly SchemaColumn[]
  readonly constraints: readonly SchemaConstraint[]
}

export interface SchemaColumn {
  readonly name: string
  /** The name of the base type of the column's domain, if it has one: int4, varchar, … */
  readonly base: string
  /** The same as SQL spells it, with its schema if necessary. `character` would be one character. */
  readonly written: string
  /** Labels in their order; null: not an enumeration. */
  readonly labels: readonly string[] | null
  readonly comment: string | null
  readonly isNeverNull: boolean
  readonly hasDefault: boolean
  readonly isIdentity: boolean
  readonly isGenerated: boolean
  /** For varchar and char, in characters. */
  readonly maxLength: number | null
  /** Decimal places of numeric; null: as many as a value has. */
  readonly scale: number | null
  /** All digits of numeric; null: as many as a value has. */
  readonly precision: number | null
}

export interface SchemaConstraint {
  /** p primary key, u unique, f foreign key, c check. */
  readonly kind: 'p' | 'u' | 'f' | 'c'
  readonly name: string
  readonly columns: readonly string[]
  readonly targetSchema: string | null
  readonly targetTable: string | null
  readonly targetColumns: readonly string[]
  readonly definition: string
}

/** Reads the tables and views of a schema; null: no such schema. Partitions are left out, because their table includes their rows. */
export async function readSchema(session: Session, schema: string): Promise<readonly SchemaTable[] | null> {
  // Makes PostgreSQL write the schema before the name of every type that is not built in.
  await session.rows(sql`select set_config('search_path', 'pg_catalog', true)`)
  const [known] = await session.rows(sql`select oid from pg_namespace where nspname = ${schema}`)
  if (known === undefined) return null
  return session.rows<SchemaTable>(sql`
    select c.relname as name, c.relkind as kind, obj_description(c.oid, 'pg_class') as comment,
      has_table_privilege(c.oid, 'select') as "mayRead",
      has_table_privilege(c.oid, 'insert') and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete') as "mayWrite",
      c.relkind = 'r' and exists (select from pg_inherits i where i.inhparent = c.oid) as "hasHeirs",
      coalesce((select json_agg(json_build_object('name', a.attname, 'base', b.typname, 'written', case b.typname when 'bpchar' then 'bpchar' else format_type(b.oid, null) end,
          'labels', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = b.oid),
          'comment', col_description(c.oid, a.attnum), 'isNeverNull', a.attnotnull or d.never_null,
          'hasDefault', a.atthasdef and a.attgenerated = '' or d.has_default, 'isIdentity', a.attidentity <> '', 'isGenerated', a.attgenerated <> '',
          'maxLength', case when b.typname in ('varchar', 'bpchar') and d.modifier > 4 then d.modifier - 4 end,
          'scale', case when b.typname = 'numeric' and d.modifier > 4 then (((d.modifier - 4) & 2047) # 1024) - 1024 end,
          'precision', case when b.typname = 'numeric' and d.modifier > 4 then ((d.modifier - 4) >> 16) & 65535 end) order by a.attnum)
        from pg_attribute a
        cross join lateral (
          with recursive line as (
            select y.oid, y.typtype, y.typbasetype, y.typnotnull, y.typdefault, y.typtypmod, 0 as depth from pg_type y where y.oid = a.atttypid
            union all select y.oid, y.typtype, y.typbasetype, y.typnotnull, y.typdefault, y.typtypmod, line.depth + 1
            from line join pg_type y on y.oid = line.typbasetype where line.typtype = 'd')
          select (array_agg(oid order by depth desc))[1] as base, bool_or(typnotnull) as never_null, bool_or(typtype = 'd' and typdefault is not null) as has_default,
            coalesce(nullif(a.atttypmod, -1), max(typtypmod) filter (where typtype = 'd'), -1) as modifier from line) as d
        join pg_type b on b.oid = d.base
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '[]') as columns,
      coalesce((select json_agg(json_build_object('kind', k.contype, 'name', k.conname,
          'columns', (select json_agg(a.attname order by u.n) from unnest(k.conkey) with ordinality as u (attnum, n)
                      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.attnum),
          'targetSchema', tn.nspname, 'targetTable', t.relname,
          'targetColumns', coalesce((select json_agg(a.attname order by u.n) from unnest(k.confkey) with ordinality as u (attnum, n)
                      join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.attnum), '[]'),
          'definition', pg_get_constraintdef(k.oid)) order by k.conname)
        from pg_constraint k left join pg_class t on t.oid = nullif(k.confrelid, 0) left join pg_namespace tn on tn.oid = t.relnamespace
        where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c') and k.conkey is not null), '[]') as constraints
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
    order by c.relname`)
}

/** Whether columns of a view currently identify its rows. */
export async function identifiesRows(
  session: Session,
  { schema, table, columns }: { readonly schema: string; readonly table: string; readonly columns: readonly string[] },
): Promise<boolean> {
  const key = columns.map((column) => sql.id('v', column))
  const empty = key.map((column) => sql`${column} is null`)
  const [row] = await session.rows<{ apart: boolean }>(sql`
    select count(*) = count(distinct (${sql.join(key)})) and count(*) filter (where ${sql.join(empty, sql` or `)}) = 0 as apart
    from ${sql.id(schema, table)} as v`)
  return row?.apart === true
}
