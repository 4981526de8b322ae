-- The numbers that were given stay given: a new numbering begins behind those that stand in the table.
CREATE OR REPLACE FUNCTION docket_system.end_numbering()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform docket_system.remember_number(old.table_id, old.prefix, docket_system.last_number(old.sys_id));
  execute format('drop sequence if exists docket_system.number_%s', old.sys_id);
  return null;
end $function$;
