-- Locks the log until the transaction ends; the position itself is free to be used or not.
CREATE OR REPLACE FUNCTION docket_documents.next_position()
 RETURNS bigint
 LANGUAGE sql
AS $function$
  select position + 1 from docket_documents.change_log for update
$function$;
