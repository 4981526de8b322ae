-- How APIs that serve ids as texts write a logged value of a column: `id` (also several, joined by commas), `uuid`, `duration`, `class`. Null: as it is.
CREATE OR REPLACE FUNCTION docket_system.logged_form(of_class bigint, of_column text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  with recursive line as (
    select t.sys_id, t.parent_id from docket.sys_db_table t where t.sys_id = of_class
    union all select p.sys_id, p.parent_id from docket.sys_db_table p join line on line.parent_id = p.sys_id)
  select case
      when of_column = 'sys_db_table_id' then 'class'
      when y.name = 'duration' then 'duration'
      when y.name = 'document_id' then 'uuid'
      when y.name in ('file', 'image', 'record_id') then 'id'
      when r.sys_id is null then null
      when r.adopted_key is null or r.adopted_key_types in ('{smallint}', '{integer}', '{bigint}') then 'id'
      when r.adopted_key_types = '{uuid}' then 'uuid' end
  from line join docket.sys_db_column d on d.table_id = line.sys_id
    join docket.sys_db_column_type y on y.sys_id = d.column_type_id
    left join docket.sys_db_table r on r.sys_id = case when y.name = 'sys_id' then of_class else d.reference_id end
  where d.column_name = of_column
  limit 1
$function$;
