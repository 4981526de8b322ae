-- Collections that follow a table: which records, what of them, and up to where of the log of changes they are led.

create table docket_documents.follow (
  collection_id integer primary key references docket_documents.collection,
  table_name text not null,
  -- An encoded query; '': every record.
  query text not null,
  -- Text with {column} in it.
  template text not null,
  metadata_columns text[] not null,
  -- With whose rights records are read.
  followed_by bigint not null,
  -- Changes up to here are in the collection.
  position bigint not null,
  -- What of a comparison with the whole table is still to be done: first its records, then the documents.
  rebuild text check (rebuild in ('records', 'documents')),
  -- Where that stands.
  rebuild_cursor text,
  -- Why the last record or the last turn failed.
  error text,
  updated_at timestamp(3) not null
);
