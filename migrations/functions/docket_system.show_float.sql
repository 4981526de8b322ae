CREATE OR REPLACE FUNCTION docket_system.show_float(value double precision, language text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case language when 'ru' then translate(value::text, '.', ',') else value::text end
$function$;
