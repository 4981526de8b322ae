-- Earlier name of log_change. Processes of an earlier version call it while they run beside this version.
CREATE OR REPLACE FUNCTION docket_system.note_change(old_row jsonb, new_row jsonb, by_user bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
  select docket_system.log_change(old_row, new_row, by_user)
$function$;
