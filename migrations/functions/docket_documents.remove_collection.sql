-- The collection's documents need no change of their own: every question begins at a collection that is there.
CREATE OR REPLACE FUNCTION docket_documents.remove_collection(of_collection integer, at_time timestamp without time zone)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  taken bigint := docket_documents.next_position();
begin
  update docket_documents.collection c set removed_position = taken, removed_at = at_time where c.id = of_collection and c.removed_position is null;
  if not found then
    return null;
  end if;
  perform docket_documents.reach_position(taken);
  return taken;
end $function$;
