-- Whatever way a document becomes the one that is there, it is due for every model that is in use. Its row is written under
-- the log's lock.
CREATE OR REPLACE FUNCTION docket_documents.make_embeddings_due()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into docket_documents.document_embedding (model_id, document_id)
  select m.id, new.id from docket_documents.embedding_model m
  join docket_documents.collection c on c.id = new.collection_id
  where docket_documents.makes_vectors_of(m, c.embeddings_model);
  return null;
end $function$;
