-- As before, but an exact number has all of its digits.
CREATE OR REPLACE FUNCTION docket_system.stored_values(of_class bigint, stored_row jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  with recursive line as (
    select t.sys_id, t.parent_id from docket.sys_db_table t where t.sys_id = of_class
    union all select p.sys_id, p.parent_id from docket.sys_db_table p join line on line.parent_id = p.sys_id)
  select coalesce(jsonb_object_agg(d.column_name, case
      when y.storage = 'bigint' then to_jsonb(stored_row ->> d.storage_column)
      when y.storage = 'numeric' and d.storage_cast is not null then to_jsonb(stored_row ->> d.storage_column)
      when y.storage = 'numeric' then to_jsonb(round((stored_row ->> d.storage_column)::numeric, 2)::text)
      when y.storage like 'timestamp%' then to_jsonb(replace(stored_row ->> d.storage_column, 'T', ' '))
      else stored_row -> d.storage_column end), '{}')
  from line join docket.sys_db_column d on d.table_id = line.sys_id join docket.sys_db_column_type y on y.sys_id = d.column_type_id
  where stored_row ->> d.storage_column is not null and y.name not in ('password', 'encrypted')
$function$;
