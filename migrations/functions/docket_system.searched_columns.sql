-- Names of a table's searchable columns, the root's first, as the server puts them together.
CREATE OR REPLACE FUNCTION docket_system.searched_columns(of_table bigint)
 RETURNS text[]
 LANGUAGE sql
 STABLE
AS $function$
  with recursive line as (
    select t.sys_id, t.parent_id, 0 as depth from docket.sys_db_table t where t.sys_id = of_table
    union all select p.sys_id, p.parent_id, line.depth + 1 from docket.sys_db_table p join line on line.parent_id = p.sys_id)
  select coalesce(array_agg(c.column_name order by line.depth desc, c.sys_id), '{}')
  from line join docket.sys_db_column c on c.table_id = line.sys_id
  where c.full_text_search and c.active and c.storage_column is not null
$function$;
