-- A reference to a table of Docket restricts unless the column says otherwise, because its foreign key does. System columns, lists and
-- references to adopted tables have no foreign key.
CREATE OR REPLACE FUNCTION docket_system.default_on_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  type_name text := (select y.name from docket.sys_db_column_type y where y.sys_id = new.column_type_id);
begin
  if tg_op = 'UPDATE' and new.column_type_id is distinct from old.column_type_id and new.on_delete is not distinct from old.on_delete then
    new.on_delete := null;
  end if;
  if new.on_delete is null and type_name in ('reference', 'record_class') and new.column_name not like 'sys\_%'
    and exists (select from docket.sys_db_table t where t.sys_id = new.table_id and t.adopted_key is null)
    and exists (select from docket.sys_db_table t where t.sys_id = new.reference_id and t.adopted_key is null)
  then
    new.on_delete := 'restrict';
  end if;
  return new;
end $function$;
