-- Nothing is added to the log up to here any more: each position is visible to statements that begin after this one, or never will be.
--
-- A transaction that took a position up to `last` had its lock before `last` was read. If it still has the lock, its floor is below that
-- position. If it has released the lock, it is over, and its rows were visible before that.
CREATE OR REPLACE FUNCTION docket_system.committed_watermark()
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
