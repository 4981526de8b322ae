-- The clock of every written value: UTC, whole seconds (the contract's format has no fraction, and a value that does not
-- equal what the caller read could not be found again). `docket.now` pins it in tests.
CREATE OR REPLACE FUNCTION docket_system.now_utc()
 RETURNS timestamp without time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select coalesce(nullif(current_setting('docket.now', true), '')::timestamp,
                  date_trunc('second', clock_timestamp() at time zone 'UTC'))
$function$;
