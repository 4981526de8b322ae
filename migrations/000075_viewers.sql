-- Who has a record open (PUT /v1/viewers/{table}/{sys_id}/{page}).

insert into docket.sys_property (name, value, description)
select 'viewers.enabled', 'false', 'true: users see who else has a record open, if they may read the record and the user.'
where not exists (select from docket.sys_property where name = 'viewers.enabled');

-- Unlogged: it says who is there now, which is not worth a write of the log, and nothing after a crash.
-- No foreign key: it would lock the row of the user. A user who is gone is not displayed, and the row expires.
create unlogged table docket_system.viewer (
  -- The root of the hierarchy: a record is the same under the name of its table and of a parent.
  root_table text not null,
  record_id text not null,
  user_id bigint not null,
  -- Chosen by the client. A user may have several pages with the same record.
  page text not null,
  opened_at timestamp(0) not null,
  -- In no index, so that an update of it writes the row only.
  seen_at timestamp(3) not null,
  primary key (root_table, record_id, user_id, page)
) with (fillfactor = 50);
create index on docket_system.viewer (user_id);
