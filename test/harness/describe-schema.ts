import type pg from 'pg'

/**
 * The schemas of Docket as lines of text, one for each column, constraint, index, function, trigger, view, sequence, type and
 * statistics object, and for each table and column of the dictionary. Ids of records are replaced by `#`: they differ between databases.
 */
export async function describeSchema(client: pg.Client, ignoredTables: readonly string[]): Promise<readonly string[]> {
  await client.query(`set search_path to pg_catalog`)
  const lines: string[] = []
  for (const query of queries) {
    const { rows } = await client.query<{ readonly line: string }>(query, [ignoredTables])
    lines.push(...rows.map(({ line }) => line.replace(/\d{18}/g, '#')))
  }
  return lines.sort()
}

const ours = `nspname in ('docket', 'docket_documents', 'docket_system')`
const relations = `pg_class c join pg_namespace n on n.oid = c.relnamespace and n.${ours} and not c.relname = any($1::text[])`

const queries = [
  `select format('column %s.%s.%s %s%s%s%s%s', n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
      case when a.attnotnull then ' not null' end, ' default ' || pg_get_expr(d.adbin, d.adrelid), ' identity ' || nullif(a.attidentity::text, ''),
      ' collate ' || (select collname from pg_collation where oid = a.attcollation and collname <> 'default')) as line
    from ${relations} join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relkind in ('r', 'p', 'v', 'm', 'c')`,
  `select format('constraint %s.%s %s: %s', n.nspname, c.relname, k.conname, pg_get_constraintdef(k.oid)) as line
    from ${relations} join pg_constraint k on k.conrelid = c.oid`,
  `select 'index ' || pg_get_indexdef(i.indexrelid) || case when i.indisvalid then '' else ' invalid' end as line
    from ${relations} join pg_index i on i.indrelid = c.oid`,
  `select format('trigger %s.%s %s', n.nspname, c.relname, pg_get_triggerdef(t.oid)) as line
    from ${relations} join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal`,
  `select format('view %s.%s %s', n.nspname, c.relname, pg_get_viewdef(c.oid)) as line from ${relations} where c.relkind in ('v', 'm')`,
  `select format('sequence %s.%s %s %s %s %s', n.nspname, c.relname, s.seqtypid::regtype, s.seqincrement, s.seqmin, s.seqmax) as line
    from ${relations} join pg_sequence s on s.seqrelid = c.oid`,
  `select format('function %s %s', p.oid::regprocedure, pg_get_functiondef(p.oid)) as line
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace and n.${ours} where p.prokind in ('f', 'p') and $1::text[] is not null`,
  `select format('type %s %s %s', t.oid::regtype, t.typtype, (select string_agg(enumlabel, ',' order by enumsortorder) from pg_enum where enumtypid = t.oid)) as line
    from pg_type t join pg_namespace n on n.oid = t.typnamespace and n.${ours}
    where t.typtype <> 'b' and t.typtype <> 'c' and $1::text[] is not null`,
  `select 'statistics ' || pg_get_statisticsobjdef(s.oid) as line from ${relations} join pg_statistic_ext s on s.stxrelid = c.oid`,
  `select format('dictionary %s: %s', t.name, to_jsonb(t) - $2::text[]) as line from docket.sys_db_table t where not t.name = any($1::text[])`,
  `select format('dictionary %s.%s %s: %s', t.name, c.column_name, y.name, to_jsonb(c) - $2::text[]) as line
    from docket.sys_db_column c join docket.sys_db_table t on t.sys_id = c.table_id join docket.sys_db_column_type y on y.sys_id = c.column_type_id
    where not t.name = any($1::text[])`,
].map((text) =>
  text.replaceAll(
    '$2::text[]',
    `'{sys_id,sys_created_at,sys_updated_at,table_id,parent_id,reference_id,column_type_id}'::text[]`,
  ),
)
