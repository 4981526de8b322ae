CREATE OR REPLACE FUNCTION docket_system.new_sys_id()
 RETURNS bigint
 LANGUAGE sql
AS $function$
  select extract(epoch from docket_system.now_utc())::bigint * 100000000 + nextval('docket_system.sys_id_low')
$function$;
