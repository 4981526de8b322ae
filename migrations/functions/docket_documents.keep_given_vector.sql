-- Keeps the vector that was given with a document of one chunk. Last in the transaction that publishes it.
--   returns false when the collection's vectors are of another length, or not given by callers
CREATE OR REPLACE FUNCTION docket_documents.keep_given_vector(of_document bigint, of_collection integer, vector bytea)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  caller integer := (select m.id from docket_documents.embedding_model m where m.is_caller);
begin
  update docket_documents.collection c set embeddings_model = 'caller', vector_length = octet_length(vector) / 4
  where c.id = of_collection and (c.embeddings_model is distinct from 'caller' or c.vector_length is null);
  if not exists (select from docket_documents.collection c
                 where c.id = of_collection and c.vector_length = octet_length(vector) / 4) then
    return false;
  end if;
  -- The collection may have had no source of vectors until now.
  delete from docket_documents.document_embedding e where e.document_id = of_document and e.model_id <> caller;
  insert into docket_documents.document_embedding (model_id, document_id) values (caller, of_document) on conflict do nothing;
  insert into docket_documents.chunk_embedding (model_id, document_id, first_chunk, vectors) values (caller, of_document, 0, vector);
  perform docket_documents.finish_embeddings(caller, array[of_document], array[null::bytea]);
  return true;
end $function$;
