-- Finds the model or adds it. The log's lock is taken, so that a document is either published before, and then it is at or
-- before due_up_to, or afterwards, and then publishing sees the model.
CREATE OR REPLACE FUNCTION docket_documents.use_embedding_model(of_name text, of_length integer, of_prefix text, of_config_name text, as_default boolean, at_time timestamp without time zone)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  found_id integer;
begin
  perform docket_documents.next_position();
  insert into docket_documents.embedding_model (name, asked_length, text_prefix, config_name, is_default, due_up_to, used_at)
  values (of_name, of_length, of_prefix, of_config_name, as_default, coalesce((select max(id) from docket_documents.document), 0), at_time)
  on conflict (name, asked_length, text_prefix) do update
    set used_at = excluded.used_at, config_name = excluded.config_name, is_default = excluded.is_default
  returning id into found_id;
  -- Documents of collections that chose it while it had another name, or was not the default.
  insert into docket_documents.document_embedding (model_id, document_id)
  select m.id, d.id
  from docket_documents.embedding_model m
  join docket_documents.collection c on docket_documents.makes_vectors_of(m, c.embeddings_model) and c.removed_position is null
  join docket_documents.document d on d.collection_id = c.id and d.removed_position is null
  where m.id = found_id and (d.id <= m.made_due_up_to or d.id > m.due_up_to)
  on conflict do nothing;
  return found_id;
end $function$;
