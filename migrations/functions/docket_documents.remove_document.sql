-- @returns the position, or null when no such document is there
CREATE OR REPLACE FUNCTION docket_documents.remove_document(of_collection integer, of_doc_id text, at_time timestamp without time zone)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  taken bigint := docket_documents.next_position();
begin
  update docket_documents.document d set removed_position = taken, removed_at = at_time
  where d.collection_id = of_collection and d.doc_id = of_doc_id and d.removed_position is null;
  if not found then
    return null;
  end if;
  perform docket_documents.reach_position(taken);
  return taken;
end $function$;
