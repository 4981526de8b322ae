-- Publishes a version whose chunks and terms are written: the end of a load. Its row comes as JSON, with further members:
--   replaces: ids of versions of other doc_ids
--   read_chunk_units, read_overlap_units: sizes of the collection when the text was split. If they changed meanwhile, the collection is
--   due to be split again: changing them holds the log's lock, as publishing does
-- A version that is not published leaves no chunks and no terms.
CREATE OR REPLACE FUNCTION docket_documents.load_document(new_row jsonb)
 RETURNS TABLE(result text, reached bigint, document_id bigint, document_version integer)
 LANGUAGE plpgsql
AS $function$
declare
  new_document docket_documents.document := jsonb_populate_record(null::docket_documents.document, new_row);
begin
  select p.* into result, reached, document_id, document_version
  from docket_documents.publish(new_document, array(select jsonb_array_elements_text(new_row -> 'replaces')::bigint)) p;
  if result not in ('created', 'replaced') then
    delete from docket_documents.document_terms t where t.document_id = new_document.id;
    delete from docket_documents.chunk c where c.document_id = new_document.id;
  end if;
  update docket_documents.collection c set rechunk_due = true
  where c.id = new_document.collection_id and not c.rechunk_due
    and (c.chunk_units is distinct from (new_row ->> 'read_chunk_units')::integer
      or c.overlap_units is distinct from (new_row ->> 'read_overlap_units')::integer);
  return next;
end $function$;
