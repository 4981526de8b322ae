-- Documents are cut into chunks by sizes that may change: then those that are loaded are cut again, in the background.

-- How the document was cut (src/documents/rechunk/cut-signature.ts); null: by an earlier version, which noted nothing.
alter table docket_documents.document add column cut_as text,
  -- Label of the encoding that its caller named.
  add column charset text;

-- Some of its documents may be cut in another way than it says now.
alter table docket_documents.collection
  add column rechunk_due boolean not null default false,
  -- Version of the chunker that all of its documents were cut by, once nothing is due.
  add column cut_version integer not null default 1;

-- Documents that a process cuts again, or that could not be cut.
create table docket_documents.rechunk (
  document_id bigint primary key,
  attempts integer not null,
  leased_until timestamp(3),
  worker integer,
  not_before timestamp(3),
  -- Why it was given up; its chunks stay as they are.
  trouble text
);

-- Earlier versions did not note how they cut. Where a collection has sizes of its own, its documents may have other ones.
update docket_documents.collection set rechunk_due = true
where removed_position is null and (chunk_units is not null or overlap_units is not null);

-- Puts other chunks in the place of a document's: the same version, loaded when it was. Its row comes as for publish.
--   returns whether it was done: false when the document is not the one that was read any more
create function docket_documents.replace_chunks(new_document docket_documents.document, before_id bigint) returns boolean
language plpgsql as $$
declare
  taken bigint := docket_documents.next_position();
  before docket_documents.document;
begin
  select d.* into before from docket_documents.document d
  join docket_documents.collection c on c.id = d.collection_id and c.removed_position is null
  where d.id = before_id and d.removed_position is null;
  if before.id is null then
    return false;
  end if;
  update docket_documents.document d
  set removed_position = taken, removed_at = clock_timestamp() at time zone 'UTC' where d.id = before_id;
  new_document.version := before.version;
  new_document.added_position := taken;
  insert into docket_documents.document select new_document.*;
  -- The demo desk knows its documents by their rows.
  update docket_system.demo_record set ids = array_replace(ids, before_id, new_document.id)
  where storage_table = 'docket_documents.document' and before_id = any (ids);
  perform docket_documents.reach_position(taken);
  return true;
end $$;
