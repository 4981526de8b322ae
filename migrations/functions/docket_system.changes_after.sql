-- Changes after a position, in order, up to the committed watermark. Volatile: the rows are read in a later snapshot than the watermark.
CREATE OR REPLACE FUNCTION docket_system.changes_after(after bigint, max_rows integer)
 RETURNS SETOF docket_system.change
 LANGUAGE plpgsql
AS $function$
declare
  watermark bigint := docket_system.committed_watermark();
begin
  return query select c.* from docket_system.change c where c.position > after and c.position <= watermark order by c.position limit max_rows;
end $function$;
