-- The table at the top of a hierarchy: the number column is unique over all of it. Null where the table is gone.
CREATE OR REPLACE FUNCTION docket_system.root_of(of_table bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  with recursive line as (
    select t.sys_id, t.parent_id from docket.sys_db_table t where t.sys_id = of_table
    union all select p.sys_id, p.parent_id from docket.sys_db_table p join line on line.parent_id = p.sys_id)
  select line.sys_id from line where line.parent_id is null
$function$;
