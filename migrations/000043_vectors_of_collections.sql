-- Vectors of a collection come from the server's default model, from another one of the configuration, or from callers.

alter table docket_documents.collection
  -- null: the default model; 'caller': vectors are given beside the texts; else a name of the configuration.
  add column embeddings_model text,
  -- Numbers of a vector that callers give; null: not known yet.
  add column vector_length integer;

-- SHA-256 of the vector that was given beside the text; null: none was given.
alter table docket_documents.document add column vector_hash bytea;

alter table docket_documents.embedding_model
  -- The name by which collections choose it.
  add column config_name text,
  -- Makes the vectors of collections that choose none.
  add column is_default boolean not null default true,
  -- Its vectors are given by callers, each collection's of a length of its own (vector_length is 0): nothing is ever due.
  add column is_caller boolean not null default false;

insert into docket_documents.embedding_model
  (name, asked_length, text_prefix, vector_length, due_up_to, used_at, is_default, is_caller)
values ('', 0, '', 0, 0, now() at time zone 'UTC', false, true);

create function docket_documents.makes_vectors_of(model docket_documents.embedding_model, chosen text)
returns boolean language sql immutable as $$
  select not model.is_caller and case when chosen is null then model.is_default else model.config_name is not distinct from chosen end
$$;

drop function docket_documents.use_embedding_model(text, integer, text, timestamp);
-- Finds the model or adds it. The log's lock is taken, so that a document is either published before, and then it is at or
-- before due_up_to, or afterwards, and then publishing sees the model.
create function docket_documents.use_embedding_model(
  of_name text, of_length integer, of_prefix text, of_config_name text, as_default boolean, at_time timestamp)
returns integer language plpgsql as $$
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
end $$;

create or replace function docket_documents.make_embeddings_due() returns trigger language plpgsql as $$
begin
  insert into docket_documents.document_embedding (model_id, document_id)
  select m.id, new.id from docket_documents.embedding_model m
  join docket_documents.collection c on c.id = new.collection_id
  where docket_documents.makes_vectors_of(m, c.embeddings_model);
  return null;
end $$;

create or replace function docket_documents.make_earlier_due(of_model integer, at_most integer) returns boolean language plpgsql as $$
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
end $$;

-- Has a collection's vectors made by another model. Under the log's lock: whatever is published later sees the choice.
create function docket_documents.choose_embedding_model(of_collection integer, chosen text) returns void language plpgsql as $$
begin
  perform docket_documents.next_position();
  update docket_documents.collection c set embeddings_model = chosen where c.id = of_collection;
  insert into docket_documents.document_embedding (model_id, document_id)
  select m.id, d.id
  from docket_documents.embedding_model m
  join docket_documents.document d on d.collection_id = of_collection and d.removed_position is null
  where docket_documents.makes_vectors_of(m, chosen)
  on conflict do nothing;
end $$;

create or replace function docket_documents.publish(new_document docket_documents.document, replaced_ids bigint[] default '{}')
returns table (result text, reached bigint, document_id bigint, document_version integer) language plpgsql as $$
declare
  taken bigint := docket_documents.next_position();
  before docket_documents.document;
  other_version integer;
begin
  if not exists (select from docket_documents.collection c where c.id = new_document.collection_id and c.removed_position is null) then
    return query select 'collection-gone', taken - 1, null::bigint, null::integer;
    return;
  end if;
  select max(d.version) into other_version from docket_documents.document d
  where d.id = any (replaced_ids) and d.collection_id = new_document.collection_id and d.removed_position is null;
  select * into before from docket_documents.document d
  where d.collection_id = new_document.collection_id and d.doc_id = new_document.doc_id and d.removed_position is null;
  if other_version is null and before.content_hash = new_document.content_hash and before.metadata = new_document.metadata
     and before.file_name is not distinct from new_document.file_name
     and before.vector_hash is not distinct from new_document.vector_hash then
    return query select 'unchanged', taken - 1, before.id, before.version;
    return;
  end if;
  update docket_documents.document d set removed_position = taken, removed_at = new_document.loaded_at
  where (d.id = before.id or d.id = any (replaced_ids))
    and d.collection_id = new_document.collection_id and d.removed_position is null;
  new_document.version := greatest(before.version, other_version, 0) + 1;
  new_document.added_position := taken;
  insert into docket_documents.document select new_document.*;
  update docket_documents.collection c
  set is_awaited = false, created_at = new_document.loaded_at, created_by = new_document.loaded_by, updated_at = new_document.loaded_at
  where c.id = new_document.collection_id and c.is_awaited;
  perform docket_documents.reach_position(taken);
  return query select case when before.id is null and other_version is null then 'created' else 'replaced' end,
    taken, new_document.id, new_document.version;
end $$;

-- Keeps the vector that was given with a document of one chunk. Last in the transaction that publishes it.
--   returns false when the collection's vectors are of another length, or not given by callers
create function docket_documents.keep_given_vector(of_document bigint, of_collection integer, vector bytea) returns boolean
language plpgsql as $$
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
end $$;
