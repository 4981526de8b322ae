-- Writes of parents in a table wait for each other until the end of their transactions, or two that do not see each other
-- could form a cycle together.
CREATE OR REPLACE FUNCTION docket_system.lock_hierarchy(place regclass)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock(723641, place::oid::bigint::bit(32)::integer);
  return true;
end $function$;
