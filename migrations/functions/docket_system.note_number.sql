-- Earlier name of reserve_number. Processes of an earlier version call it while they run beside this version.
CREATE OR REPLACE FUNCTION docket_system.note_number(of_table bigint, number text)
 RETURNS text
 LANGUAGE sql
AS $function$
  select docket_system.reserve_number(of_table, number)
$function$;
