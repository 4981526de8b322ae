-- Earlier name of reject. Processes of an earlier version call it while they run beside this version.
CREATE OR REPLACE FUNCTION docket_system.refuse(refusal jsonb)
 RETURNS boolean
 LANGUAGE sql
AS $function$
  select docket_system.reject(refusal)
$function$;
