-- Whether nobody works on something: its lease was given back or ran out, or whoever held it is gone. A worker without a
-- number is known by its lease only. The lock that is tried is shared, so that several may ask at once, and ends with the
-- transaction; in the order of a case, because trying has an effect.
CREATE OR REPLACE FUNCTION docket_documents.is_left(leased_until timestamp without time zone, worker integer)
 RETURNS boolean
 LANGUAGE sql
AS $function$
  select case
    when leased_until is null or leased_until < clock_timestamp() at time zone 'UTC' then true
    when worker is null then false
    else pg_try_advisory_xact_lock_shared(7236500, worker)
  end
$function$;
