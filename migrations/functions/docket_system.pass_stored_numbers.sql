-- What was written past the server is passed too: called where a number that the counter gave was taken.
CREATE OR REPLACE FUNCTION docket_system.pass_stored_numbers(numbering bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
  select docket_system.pass_number(n.sys_id, docket_system.highest_number(n.table_id, n.prefix)) from docket.sys_number n where n.sys_id = numbering
$function$;
