-- What a load asks for before it is there, who is at work, and vectors that are compared.

-- A collection that a load asked for and in which no document is yet: nobody sees it. The first document that is published
-- into it makes it one that is there, and so does whoever sets it up; with neither, it is cleared away.
alter table docket_documents.collection add column is_awaited boolean not null default false;

create or replace function docket_documents.publish(new_document docket_documents.document)
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
  update docket_documents.collection c
  set is_awaited = false, created_at = new_document.loaded_at, created_by = new_document.loaded_by, updated_at = new_document.loaded_at
  where c.id = new_document.collection_id and c.is_awaited;
  perform docket_documents.reach_position(taken);
  return query select case when before.id is null then 'created' else 'replaced' end, taken, new_document.id, new_document.version;
end $$;

-- A process that works beside requests holds an advisory lock of its number, on a connection of its own, for as long as it
-- lives: however it dies, PostgreSQL lets go of the lock when the connection ends. Numbers are not used twice.
create sequence docket_documents.worker_number as integer;

alter table docket_documents.load add column worker integer;
alter table docket_documents.document_embedding add column worker integer;

-- Whether nobody works on something: its lease was given back or ran out, or whoever held it is gone. A worker without a
-- number is known by its lease only. The lock that is tried is shared, so that several may ask at once, and ends with the
-- transaction; in the order of a case, because trying has an effect.
create function docket_documents.is_left(leased_until timestamp, worker integer) returns boolean language sql volatile as $$
  select case
    when leased_until is null or leased_until < clock_timestamp() at time zone 'UTC' then true
    when worker is null then false
    else pg_try_advisory_xact_lock_shared(7236500, worker)
  end
$$;

-- A check may also mend what a process has of vectors in its memory.
alter table docket_documents.index_check add column mends boolean not null default false;
