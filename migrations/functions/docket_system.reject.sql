-- Ends the statement, and with it everything that it wrote, with an error that the server turns into a clear response: SQLSTATE DK001, with
-- the error as JSON in DETAIL.
CREATE OR REPLACE FUNCTION docket_system.reject(error jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  raise exception using errcode = 'DK001', message = 'rejected', detail = error::text;
end $function$;
