-- Requests that were rejected with 403 because their caller lacks a right (GET /v1/denials). Equal requests of a user are one row.
-- At most 1,000 rows, and 50 of a user: src/identity/denial-store.ts deletes those whose last request is the longest ago.
create table docket_system.denial (
  -- Hash of user_id, problem, record_id, method and route.
  id text primary key,
  user_id bigint not null references docket."user" (sys_id) on delete cascade,
  -- The error as its caller got it (src/kernel/problem.ts), without the position in a query. It contains names of the dictionary, no value.
  problem jsonb not null,
  -- null: the request names no table, or no record.
  table_name text,
  record_id text,
  method text not null,
  -- The pattern of the address, such as /rest/v1/table/:table/:sys_id.
  route text not null,
  requests bigint not null,
  first_at timestamp(0) not null,
  last_at timestamp(0) not null
);
create index on docket_system.denial (last_at);
create index on docket_system.denial (user_id, last_at);

-- Files that were removed from their records stay in the activity of the records (GET /v1/attachments/removed/{table}/{sys_id}): the log of
-- changes keeps their deletion. The index contains deletions of files only, so that no other write changes it.
update docket.sys_db_table set record_deletion_logging = true where name = 'sys_attachment';
do $$
begin
  execute format('create index change_removed_file on docket_system.change ((changes ->> ''record_id''), position) where table_id = %s and operation = ''d''',
    (select sys_id from docket.sys_db_table where name = 'sys_attachment'));
end $$;

-- GET /v1/jobs finds work that was given up without reading the work that is done.
create index sys_webhook_delivery_dead on docket.sys_webhook_delivery (webhook) where state = 'dead';
create index document_embedding_failed on docket_documents.document_embedding (model_id, document_id) where trouble is not null;
