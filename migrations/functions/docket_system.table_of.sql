-- The table of the dictionary that a row of it belongs to; 0: none.
CREATE OR REPLACE FUNCTION docket_system.table_of(of_table text, changed jsonb)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select case of_table
    when 'sys_db_table' then (changed ->> 'sys_id')::bigint
    when 'sys_db_column' then (changed ->> 'table_id')::bigint
    else coalesce(
      (select c.table_id from docket.sys_db_column c where c.sys_id = (changed ->> 'record_id')::bigint),
      (select t.sys_id from docket.sys_db_table t where t.sys_id = (changed ->> 'record_id')::bigint), 0)
  end
$function$;
