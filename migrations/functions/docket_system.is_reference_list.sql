CREATE OR REPLACE FUNCTION docket_system.is_reference_list(of_class bigint, of_column text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  with recursive line as (
    select t.sys_id, t.parent_id from docket.sys_db_table t where t.sys_id = of_class
    union all select p.sys_id, p.parent_id from docket.sys_db_table p join line on line.parent_id = p.sys_id)
  select exists (select from line join docket.sys_db_column d on d.table_id = line.sys_id
    join docket.sys_db_column_type y on y.sys_id = d.column_type_id
    where d.column_name = of_column and y.name = 'list' and d.reference_id is not null)
$function$;
