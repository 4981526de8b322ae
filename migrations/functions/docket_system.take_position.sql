-- The next position, for a row that is being written now: after whoever changed the same record before has let go of it.
--
-- Positions are taken in one order and become visible in another. So each writing transaction first tells, by a shared
-- advisory lock that lasts as long as it does, a position below all that it will take; docket_system.committed_watermark()
-- looks at those. Only once a transaction: a load of many rows would fill the lock table.
CREATE OR REPLACE FUNCTION docket_system.take_position()
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
begin
  if coalesce(current_setting('docket.position_floor', true), '') = '' then
    perform pg_advisory_xact_lock_shared(set_config('docket.position_floor',
      coalesce(pg_sequence_last_value('docket_system.change_position'), 499999999999999999)::text, true)::bigint);
  end if;
  return nextval('docket_system.change_position');
end $function$;
