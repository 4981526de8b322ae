CREATE OR REPLACE FUNCTION docket_system.notify_of_queued_records()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform docket_system.add_job('create_queued_records');
  return null;
end $function$;
