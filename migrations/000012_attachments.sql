-- Files of records. Rows of sys_attachment name them; this names what lies in the store, so that no file is without a row that
-- clearing away would find: made before the bytes, gone before they are.

create table docket_system.attachment_blob (
  hash bytea primary key check (length(hash) = 32),
  size bigint not null,
  touched_at timestamp(3) not null
);
create index on docket.sys_attachment (hash);
