-- Vectors of chunks, made by the embeddings address of the settings. They are derived from the chunks, but dear: so they are
-- kept here, and every process reads them into its memory.

-- Vectors of one model cannot be compared with another's, so each has its own. What changes the vectors names the model.
create table docket_documents.embedding_model (
  id integer generated always as identity primary key,
  name text not null,
  -- Numbers that are asked for; 0: as many as the model gives.
  asked_length integer not null,
  -- Put before each text.
  text_prefix text not null,
  unique (name, asked_length, text_prefix),
  -- Numbers of a vector, known from the first one on.
  vector_length integer,
  -- Documents that became whole, counted; the counter orders them for the processes that follow.
  position bigint not null default 0,
  -- Documents up to this id had been there when the model came; they are made due step by step.
  due_up_to bigint not null,
  made_due_up_to bigint not null default 0,
  -- A model that no process used for a day is cleared away.
  used_at timestamp(3) not null
);

-- Where a document's vectors stand for a model.
create table docket_documents.document_embedding (
  model_id integer not null references docket_documents.embedding_model,
  document_id bigint not null,
  -- In the order in which documents became whole; null: not yet.
  position bigint,
  -- SHA-256 of all that is given to the model: equal documents share the work.
  inputs_hash bytea,
  -- Times that the model refused it.
  attempts integer not null default 0,
  leased_until timestamp(3),
  not_before timestamp(3),
  -- Why it was given up.
  trouble text,
  primary key (model_id, document_id)
);
create unique index on docket_documents.document_embedding (model_id, position) where position is not null;
create index document_embedding_due on docket_documents.document_embedding (model_id, document_id)
  where position is null and trouble is null;
create index on docket_documents.document_embedding (model_id, inputs_hash) where position is not null;

-- The vectors of some neighbouring chunks: little-endian float32, one after the other.
create table docket_documents.chunk_embedding (
  model_id integer not null,
  document_id bigint not null,
  first_chunk integer not null,
  vectors bytea not null,
  primary key (model_id, document_id, first_chunk)
);
-- Such numbers cannot be packed.
alter table docket_documents.chunk_embedding alter column vectors set storage external;

alter table docket_documents.chunk drop column embedding;

-- Finds the model or adds it. The log's lock is taken, so that a document is either published before, and then it is at or
-- before due_up_to, or afterwards, and then publishing sees the model.
create function docket_documents.use_embedding_model(of_name text, of_length integer, of_prefix text, at_time timestamp)
returns integer language plpgsql as $$
declare
  found_id integer;
begin
  perform docket_documents.next_position();
  insert into docket_documents.embedding_model (name, asked_length, text_prefix, due_up_to, used_at)
  values (of_name, of_length, of_prefix, coalesce((select max(id) from docket_documents.document), 0), at_time)
  on conflict (name, asked_length, text_prefix) do update set used_at = excluded.used_at
  returning id into found_id;
  return found_id;
end $$;

-- Whatever way a document becomes the one that is there, it is due for every model that is in use. Its row is written under
-- the log's lock.
create function docket_documents.make_embeddings_due() returns trigger language plpgsql as $$
begin
  insert into docket_documents.document_embedding (model_id, document_id)
  select m.id, new.id from docket_documents.embedding_model m;
  return null;
end $$;
create trigger make_embeddings_due after insert on docket_documents.document
  for each row execute function docket_documents.make_embeddings_due();

-- Makes some of the documents due that were there before the model was.
--   returns whether there may be more
create function docket_documents.make_earlier_due(of_model integer, at_most integer) returns boolean language plpgsql as $$
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
  where d.id > model.made_due_up_to and d.id <= reached and d.removed_position is null
  on conflict do nothing;
  update docket_documents.embedding_model m set made_due_up_to = reached where m.id = of_model;
  return true;
end $$;

-- Declares documents whole whose vectors are written. Last in its transaction: positions become visible in their order.
create function docket_documents.finish_embeddings(of_model integer, documents bigint[], hashes bytea[]) returns void
language plpgsql as $$
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
end $$;
