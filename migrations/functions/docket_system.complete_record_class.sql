-- Clients give no reference_id with it: there is one table that it can lead to. The name makes this trigger run before default_on_delete.
CREATE OR REPLACE FUNCTION docket_system.complete_record_class()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.reference_id is null and new.column_type_id = 40 then
    new.reference_id := (select t.sys_id from docket.sys_db_table t where t.name = 'sys_db_table');
  end if;
  return new;
end $function$;
