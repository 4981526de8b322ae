CREATE OR REPLACE FUNCTION docket_system.translate(table_name text, of_column text, record bigint, to_language text, text_value text)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into docket.sys_translated_text (column_id, record_id, language, value)
  select c.sys_id, record, to_language, text_value
  from docket.sys_db_column c join docket.sys_db_table t on t.sys_id = c.table_id
  where t.name = table_name and c.column_name = of_column and text_value is not null
$function$;
