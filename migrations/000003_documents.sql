-- Documents: the truth that every index is derived from. Nothing here is served by the Table API.
--
-- A row of `document` is one version of a document and never changes, except in when it was there: `added_position` and
-- `removed_position` are positions of the change log. Searches that began before a removal still read the removed version
-- and its chunks; they are cleared away some minutes later.

create schema if not exists docket_documents;

-- One row: the newest position. Every change takes its position under this row's lock, as the last thing before it commits,
-- so positions become visible in their order and a reader that knows one position can ask for what came after it.
create table docket_documents.change_log (
  only_row boolean primary key default true check (only_row),
  position bigint not null default 0,
  -- Removals up to here may have been cleared away: who knows less has to compare everything.
  cleared_position bigint not null default 0,
  -- An index on a disk belongs to one database.
  database_id uuid not null default gen_random_uuid()
);
insert into docket_documents.change_log default values;

-- Locks the log until the transaction ends; the position itself is free to be used or not.
create function docket_documents.next_position() returns bigint language sql volatile as $$
  select position + 1 from docket_documents.change_log for update
$$;

create function docket_documents.reach_position(reached bigint) returns void language sql volatile as $$
  update docket_documents.change_log set position = reached
$$;

create table docket_documents.collection (
  id integer generated always as identity primary key,
  name text not null,
  -- Roles asked instead of document_reader and document_writer.
  reader_role text,
  writer_role text,
  -- A document is there only for whoever may read the record of this table that its metadata's sys_id names.
  acl_table text,
  -- null: the server's own sizes.
  chunk_units integer,
  overlap_units integer,
  -- Of the documents that were ever in it; a query is stemmed for each.
  languages text[] not null default '{}',
  -- Where in the log `docket documents reindex` asked every process to build its index of the collection anew.
  reindexed_position bigint,
  created_at timestamp(3) not null,
  created_by bigint,
  updated_at timestamp(3) not null,
  removed_position bigint,
  removed_at timestamp(3),
  check ((removed_position is null) = (removed_at is null))
);
create unique index on docket_documents.collection (name) where removed_position is null;
create index on docket_documents.collection (removed_position) where removed_position is not null;

create sequence docket_documents.document_id;

create table docket_documents.document (
  id bigint primary key,
  collection_id integer not null references docket_documents.collection,
  doc_id text collate "C" not null,
  -- Of this doc_id, from 1; a document that is deleted and loaded again begins anew.
  version integer not null,
  added_position bigint not null,
  removed_position bigint,
  removed_at timestamp(3),
  metadata jsonb not null,
  -- The metadata and the document's own keys as filters compare them (src/documents/filter/filter-values.ts).
  filter_values jsonb not null,
  -- The record that the document belongs to; where the collection is bound, who may not read it does not see the document.
  record_id bigint,
  title text,
  file_name text,
  media_type text not null,
  language text,
  -- Bytes of the file, or of the text in UTF-8.
  size bigint not null,
  -- UTF-16 units of the extracted text.
  characters integer not null,
  pages integer,
  chunk_count integer not null,
  -- What extraction took out: [{"kind": …, "count": …}].
  flags jsonb not null default '[]',
  -- SHA-256 of what was sent; with equal metadata a load changes nothing.
  content_hash bytea not null,
  -- The original file in the blob store; null for a text.
  blob_hash bytea,
  loaded_at timestamp(3) not null,
  loaded_by bigint,
  check ((removed_position is null) = (removed_at is null))
);
create unique index document_there on docket_documents.document (collection_id, doc_id)
  where removed_position is null;
create index document_added on docket_documents.document (added_position);
create index document_removed on docket_documents.document (removed_position) where removed_position is not null;
create index document_filter on docket_documents.document using gin (filter_values jsonb_path_ops)
  where removed_position is null;
create index document_record on docket_documents.document (record_id) where record_id is not null;
create index document_blob on docket_documents.document (blob_hash) where blob_hash is not null;

-- Written in the transaction of its document, before the document's own row: a publishing transaction then holds the log's
-- lock only for the last short statement. So there is no foreign key; whoever clears documents away clears their chunks.
create table docket_documents.chunk (
  document_id bigint not null,
  chunk_index integer not null,
  -- Range in the extracted text, in UTF-16 units. Chunks overlap but leave no gap: they are where the text is kept.
  from_unit integer not null,
  to_unit integer not null,
  page integer,
  heading_path text[] not null,
  text text not null,
  -- Little-endian float32, of the length that the collection's vectors have; null without an embeddings provider.
  embedding bytea,
  primary key (document_id, chunk_index)
);

-- Makes a version the one that is there, in place of the one before: the last statement of a load. Its row comes as a
-- composite value whose version and positions are null.
--   result: created, replaced; unchanged when the version that is there has the same content and metadata; collection-gone
create function docket_documents.publish(new_document docket_documents.document)
returns table (result text, reached bigint, document_id bigint, document_version integer) language plpgsql as $$
declare
  taken bigint := docket_documents.next_position();
  before docket_documents.document;
begin
  if not exists (select from docket_documents.collection c where c.id = new_document.collection_id and c.removed_position is null) then
    return query select 'collection-gone', taken - 1, null::bigint, null::integer;
    return;
  end if;
  select * into before from docket_documents.document d
  where d.collection_id = new_document.collection_id and d.doc_id = new_document.doc_id and d.removed_position is null;
  if before.content_hash = new_document.content_hash and before.metadata = new_document.metadata
     and before.file_name is not distinct from new_document.file_name then
    return query select 'unchanged', taken - 1, before.id, before.version;
    return;
  end if;
  update docket_documents.document d set removed_position = taken, removed_at = new_document.loaded_at where d.id = before.id;
  new_document.version := coalesce(before.version, 0) + 1;
  new_document.added_position := taken;
  insert into docket_documents.document select new_document.*;
  perform docket_documents.reach_position(taken);
  return query select case when before.id is null then 'created' else 'replaced' end, taken, new_document.id, new_document.version;
end $$;

-- @returns the position, or null when no such document is there
create function docket_documents.remove_document(of_collection integer, of_doc_id text, at_time timestamp)
returns bigint language plpgsql as $$
declare
  taken bigint := docket_documents.next_position();
begin
  update docket_documents.document d set removed_position = taken, removed_at = at_time
  where d.collection_id = of_collection and d.doc_id = of_doc_id and d.removed_position is null;
  if not found then
    return null;
  end if;
  perform docket_documents.reach_position(taken);
  return taken;
end $$;

-- The collection's documents need no change of their own: every question begins at a collection that is there.
create function docket_documents.remove_collection(of_collection integer, at_time timestamp) returns bigint language plpgsql as $$
declare
  taken bigint := docket_documents.next_position();
begin
  update docket_documents.collection c set removed_position = taken, removed_at = at_time where c.id = of_collection and c.removed_position is null;
  if not found then
    return null;
  end if;
  perform docket_documents.reach_position(taken);
  return taken;
end $$;

-- A file of the blob store. Rows are made before the bytes and cleared after them, so that no file is without a row.
create table docket_documents.blob (
  hash bytea primary key check (length(hash) = 32),
  size bigint not null,
  touched_at timestamp(3) not null
);

-- Loads that were asked for with async=1, and how they went. A process that works on one holds it by a lease that it renews;
-- when the process dies, the lease runs out and another one takes the load up.
create table docket_documents.load (
  id bigint generated always as identity primary key,
  collection_id integer not null references docket_documents.collection,
  doc_id text collate "C" not null,
  record_id bigint,
  state text not null check (state in ('queued', 'extracting', 'indexing', 'ready', 'failed')),
  percent integer not null default 0,
  pages_done integer,
  attempts integer not null default 0,
  -- Of a failed load: the problem that its caller would have been told.
  problem jsonb,
  blob_hash bytea not null,
  size bigint not null,
  file_name text,
  metadata jsonb not null,
  asked_by bigint not null,
  asked_at timestamp(3) not null,
  -- Of the process that works on it; null while nobody does.
  leased_until timestamp(3),
  not_before timestamp(3)
);
create index on docket_documents.load (collection_id, doc_id, id desc);
create index on docket_documents.load (id) where state in ('queued', 'extracting', 'indexing');
create index on docket_documents.load (blob_hash);
