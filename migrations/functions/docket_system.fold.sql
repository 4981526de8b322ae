CREATE OR REPLACE FUNCTION docket_system.fold(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select lower(value collate docket_system.text_fold)
$function$;
