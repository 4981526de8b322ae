-- Clears away what is older and nobody shows, a part at a time so that no lock is held for long. Returns how many went.
CREATE OR REPLACE FUNCTION docket_system.clear_changes(older_than timestamp without time zone, most integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  cleared bigint;
  gone integer;
begin
  with old as (
    select position from docket_system.change where changed_at < older_than and not audited and not deletion_logged
      and position <= docket_system.settled_position() order by position limit most for update skip locked),
  deleted as (delete from docket_system.change c using old where c.position = old.position returning c.position)
  select max(position), count(*) into cleared, gone from deleted;
  update docket_system.change_horizon set cleared_position = greatest(cleared_position, cleared) where cleared is not null;
  return gone;
end $function$;
