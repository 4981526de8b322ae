-- Makes a version the one that is there, in place of the one before and of further ones: the last statement of a load. Its row
-- comes as a composite value whose version and positions are null.
--   replaced_ids: ids of versions of other doc_ids; those that are gone already are left out
--   result: created, replaced; unchanged when the version that is there has the same content and metadata; collection-gone
CREATE OR REPLACE FUNCTION docket_documents.publish(new_document docket_documents.document, replaced_ids bigint[] DEFAULT '{}'::bigint[])
 RETURNS TABLE(result text, reached bigint, document_id bigint, document_version integer)
 LANGUAGE plpgsql
AS $function$
declare
  taken bigint := docket_documents.next_position();
  before docket_documents.document;
  other_version integer;
begin
  if not exists (select from docket_documents.collection c where c.id = new_document.collection_id and c.removed_position is null) then
    return query select 'collection-gone', taken - 1, null::bigint, null::integer;
    return;
  end if;
  if cardinality(replaced_ids) > 0 then
    select max(d.version) into other_version from docket_documents.document d
    where d.id = any (replaced_ids) and d.collection_id = new_document.collection_id and d.removed_position is null;
  end if;
  select * into before from docket_documents.document d
  where d.collection_id = new_document.collection_id and d.doc_id = new_document.doc_id and d.removed_position is null;
  if other_version is null and before.content_hash = new_document.content_hash and before.metadata = new_document.metadata
     and before.file_name is not distinct from new_document.file_name
     and before.vector_hash is not distinct from new_document.vector_hash then
    return query select 'unchanged', taken - 1, before.id, before.version;
    return;
  end if;
  if before.id is not null or other_version is not null then
    update docket_documents.document d set removed_position = taken, removed_at = new_document.loaded_at
    where d.id = any (replaced_ids || before.id) and d.collection_id = new_document.collection_id and d.removed_position is null;
  end if;
  new_document.version := greatest(before.version, other_version, 0) + 1;
  new_document.added_position := taken;
  insert into docket_documents.document select new_document.*;
  update docket_documents.collection c
  set is_awaited = false, created_at = new_document.loaded_at, created_by = new_document.loaded_by, updated_at = new_document.loaded_at
  where c.id = new_document.collection_id and c.is_awaited;
  perform docket_documents.reach_position(taken);
  return query select case when before.id is null and other_version is null then 'created' else 'replaced' end,
    taken, new_document.id, new_document.version;
end $function$;
