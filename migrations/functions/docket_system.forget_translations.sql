-- A title's translations stand beside it without a key of their own.
CREATE OR REPLACE FUNCTION docket_system.forget_translations()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from docket.sys_translated_text x using docket.sys_db_column c, docket.sys_db_table t
  where x.record_id = old.sys_id and c.sys_id = x.column_id and t.sys_id = c.table_id and t.name = tg_table_name;
  return null;
end $function$;
