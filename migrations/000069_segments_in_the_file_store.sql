-- Segments of the search index in the store of files. A process that lacks a collection fetches them instead of building them from
-- docket_documents.document_terms.

-- The segments of a collection contain its documents as of a sequence number of the change log.
create table docket_documents.segment_manifest (
  collection_id integer primary key references docket_documents.collection (id) on delete cascade,
  -- `segmentsMadeAs`: versions of the analyzer and of the layout.
  made_as text collate "C" not null,
  -- The history of the database to which the sequence number belongs (`readHistoryIds`).
  history_id text collate "C" not null,
  -- The store that has the files (`fileStoreIdentity`).
  file_store text collate "C" not null,
  position bigint not null,
  written_at timestamp(3) not null
);

-- A file of docket_documents.blob. It is cleared away like other files when nothing refers to it for a while.
create table docket_documents.segment (
  collection_id integer not null references docket_documents.segment_manifest (collection_id) on delete cascade,
  -- SHA-256 of its bytes, and its name in the store.
  hash bytea not null check (length(hash) = 32),
  size bigint not null,
  -- A process could not read it: it is to be written again.
  is_damaged boolean not null default false,
  primary key (collection_id, hash)
);
create index segment_hash on docket_documents.segment (hash);

-- The process that writes segments and manifests.
create table docket_documents.segment_writer (
  only_row boolean primary key default true check (only_row),
  leased_until timestamp(3),
  worker integer
);
insert into docket_documents.segment_writer default values;
