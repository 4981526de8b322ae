-- The highest n among the stored numbers of a hierarchy; null where there is none. Reads the whole table.
CREATE OR REPLACE FUNCTION docket_system.highest_number(of_table bigint, prefix text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  place record;
  highest bigint;
begin
  for place in
    select distinct t.storage_schema, t.storage_table, c.storage_column
    from docket.sys_db_table t join docket.sys_db_column c on c.table_id = t.sys_id and c.column_name = 'number'
    where docket_system.root_of(t.sys_id) = docket_system.root_of(of_table) and c.storage_column is not null
  loop
    execute format('select greatest($2, max(docket_system.count_in_number(%1$I::text, $1))) from %2$I.%3$I', place.storage_column, place.storage_schema, place.storage_table)
      into highest using prefix, highest;
  end loop;
  return highest;
end $function$;
