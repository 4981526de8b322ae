-- The choices of a column on one table; a child table may have its own list for an inherited column.
CREATE OR REPLACE FUNCTION docket_system.define_choices(of_table text, of_column text, values_in_order jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  at_table bigint;
  at_column bigint;
begin
  select sys_id into strict at_table from docket.sys_db_table where name = of_table;
  with recursive line as (
    select t.sys_id, t.parent_id from docket.sys_db_table t where t.name = of_table
    union all select p.sys_id, p.parent_id from docket.sys_db_table p join line on line.parent_id = p.sys_id)
  select c.sys_id into strict at_column from docket.sys_db_column c join line on line.sys_id = c.table_id where c.column_name = of_column;
  insert into docket.sys_choice (table_id, column_id, value, title, language, "order")
  select at_table, at_column, item ->> 0, item ->> (1 + l.place), l.language, (n * 10)::integer
  from jsonb_array_elements(values_in_order) with ordinality as i (item, n), (values (0, 'en'), (1, 'ru')) as l (place, language);
end $function$;
