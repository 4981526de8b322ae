-- Makes some of the documents due that were there before the model was.
--   returns whether there may be more
CREATE OR REPLACE FUNCTION docket_documents.make_earlier_due(of_model integer, at_most integer)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  model docket_documents.embedding_model;
  reached bigint;
begin
  select * into model from docket_documents.embedding_model m where m.id = of_model for no key update;
  select max(step.id) into reached from (
    select d.id from docket_documents.document d
    where d.id > model.made_due_up_to and d.id <= model.due_up_to order by d.id limit at_most
  ) as step;
  if reached is null then
    return false;
  end if;
  insert into docket_documents.document_embedding (model_id, document_id)
  select of_model, d.id from docket_documents.document d
  join docket_documents.collection c on c.id = d.collection_id
  where d.id > model.made_due_up_to and d.id <= reached and d.removed_position is null
    and docket_documents.makes_vectors_of(model, c.embeddings_model)
  on conflict do nothing;
  update docket_documents.embedding_model m set made_due_up_to = reached where m.id = of_model;
  return true;
end $function$;
