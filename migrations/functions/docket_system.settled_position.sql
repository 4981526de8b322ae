-- Up to here nothing will be added any more: each position is visible to statements that begin after this one, or never will be.
--
-- Whoever took a position up to `last` had its lock before `last` was read. Is the lock still there, its floor is below
-- that position. Is it gone, the transaction is over, and its rows are visible since before the lock was let go.
CREATE OR REPLACE FUNCTION docket_system.settled_position()
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  last bigint := coalesce(pg_sequence_last_value('docket_system.change_position'), 499999999999999999);
  floor bigint;
begin
  select min((l.classid::bigint << 32) | l.objid::bigint) into floor
  from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and (l.classid::bigint << 32) | l.objid::bigint between 499999999999999999 and 999999999999999999;
  return least(last, floor);
end $function$;
