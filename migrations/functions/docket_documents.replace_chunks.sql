-- Puts other chunks in the place of a document's: the same version, loaded when it was. Its row comes as for publish.
--   returns whether it was done: false when the document is not the one that was read any more
CREATE OR REPLACE FUNCTION docket_documents.replace_chunks(new_document docket_documents.document, before_id bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  taken bigint := docket_documents.next_position();
  before docket_documents.document;
begin
  select d.* into before from docket_documents.document d
  join docket_documents.collection c on c.id = d.collection_id and c.removed_position is null
  where d.id = before_id and d.removed_position is null;
  if before.id is null then
    return false;
  end if;
  update docket_documents.document d
  set removed_position = taken, removed_at = clock_timestamp() at time zone 'UTC' where d.id = before_id;
  new_document.version := before.version;
  new_document.added_position := taken;
  insert into docket_documents.document select new_document.*;
  -- The demo desk knows its documents by their rows.
  update docket_system.demo_record set ids = array_replace(ids, before_id, new_document.id)
  where storage_table = 'docket_documents.document' and before_id = any (ids);
  perform docket_documents.reach_position(taken);
  return true;
end $function$;
