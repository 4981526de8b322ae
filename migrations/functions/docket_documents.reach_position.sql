CREATE OR REPLACE FUNCTION docket_documents.reach_position(reached bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
  update docket_documents.change_log set position = reached
$function$;
