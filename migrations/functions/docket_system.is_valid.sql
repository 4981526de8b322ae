-- Whether a text is a value of the type: pg_input_is_valid, which PostgreSQL has from 16 on.
CREATE OR REPLACE FUNCTION docket_system.is_valid(value text, of_type regtype)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE STRICT
AS $function$
begin
  execute format('select %L::%s', value, of_type);
  return true;
exception when data_exception or invalid_text_representation or statement_too_complex then
  return false;
end $function$;
