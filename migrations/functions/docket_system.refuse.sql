-- Ends the statement (and with it everything it wrote) with a refusal that the server turns into a clear answer:
-- SQLSTATE DK001, the refusal as JSON in DETAIL.
CREATE OR REPLACE FUNCTION docket_system.refuse(refusal jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  raise exception using errcode = 'DK001', message = 'refused', detail = refusal::text;
end $function$;
