-- What came after a position, in order, as far as it is settled. Volatile: the rows are read in a snapshot that is younger than
-- what settled_position saw.
CREATE OR REPLACE FUNCTION docket_system.changes_after(after bigint, most integer)
 RETURNS SETOF docket_system.change
 LANGUAGE plpgsql
AS $function$
declare
  settled bigint := docket_system.settled_position();
begin
  return query select c.* from docket_system.change c where c.position > after and c.position <= settled order by c.position limit most;
end $function$;
