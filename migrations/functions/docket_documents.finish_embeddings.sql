-- Declares documents whole whose vectors are written. Last in its transaction: positions become visible in their order.
CREATE OR REPLACE FUNCTION docket_documents.finish_embeddings(of_model integer, documents bigint[], hashes bytea[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  reached bigint;
begin
  select position into reached from docket_documents.embedding_model where id = of_model for no key update;
  with whole as (
    update docket_documents.document_embedding e
    set position = reached + done.place, inputs_hash = done.inputs_hash, leased_until = null, not_before = null
    from unnest(documents, hashes) with ordinality as done (document_id, inputs_hash, place)
    where e.model_id = of_model and e.document_id = done.document_id and e.position is null
    returning e.position
  )
  update docket_documents.embedding_model m set position = greatest(m.position, (select max(whole.position) from whole))
  where m.id = of_model;
end $function$;
