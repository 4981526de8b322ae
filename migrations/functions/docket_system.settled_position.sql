-- Earlier name of committed_watermark. Processes of an earlier version call it while they run beside this version.
CREATE OR REPLACE FUNCTION docket_system.settled_position()
 RETURNS bigint
 LANGUAGE sql
AS $function$
  select docket_system.committed_watermark()
$function$;
