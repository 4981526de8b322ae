-- Has a collection's vectors made by another model. Under the log's lock: whatever is published later sees the choice.
CREATE OR REPLACE FUNCTION docket_documents.choose_embedding_model(of_collection integer, chosen text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform docket_documents.next_position();
  update docket_documents.collection c set embeddings_model = chosen where c.id = of_collection;
  insert into docket_documents.document_embedding (model_id, document_id)
  select m.id, d.id
  from docket_documents.embedding_model m
  join docket_documents.document d on d.collection_id = of_collection and d.removed_position is null
  where docket_documents.makes_vectors_of(m, chosen)
  on conflict do nothing;
end $function$;
