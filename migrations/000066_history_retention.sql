-- How long the log of changes keeps the history of a table, what was removed and where it is exported; and one index less.

-- ── settings ─────────────────────────────────────────────────────────────────────────────────────────────────────────

insert into docket.sys_property (name, value, description)
select 'history.keep_days', '0', 'Days for which history and deletion log are kept, unless a table or its parent has history_keep_days; never less than events.keep_days. 0: for ever.'
where not exists (select from docket.sys_property where name = 'history.keep_days');

alter table docket.sys_db_table add column history_keep_days integer check (history_keep_days between 0 and 36500);
select docket_system.define_column('sys_db_table', 'history_keep_days', 'integer', 'Days to keep history (0: for ever; empty: as its parent)',
  'Дней хранения истории (0: всегда; пусто: как у родителя)', '{"standing":true}');

-- ── what was removed ─────────────────────────────────────────────────────────────────────────────────────────────────

-- A row for each class whose history is not kept for ever. It depends on the settings and the time only, not on records.
create table docket_system.history_retention (
  -- 0: all tables that the dictionary no longer has.
  table_id bigint primary key,
  -- Changes before this time are removed, or will be within moments.
  removed_before timestamp(0) not null,
  -- All of them were removed.
  swept_before timestamp(0) not null default '-infinity',
  -- History was brought along since, with any time: the next turn looks at all of it.
  is_brought boolean not null default false
);

-- Removed changes as files of compressed lines of JSON.
create table docket_system.history_export (
  number bigint generated always as identity primary key,
  made_at timestamp(0) not null default docket_system.now_utc(),
  first_changed_at timestamp(0) not null,
  last_changed_at timestamp(0) not null,
  changes integer not null,
  bytes bigint not null,
  -- SHA-256 of the file.
  hash bytea not null check (length(hash) = 32),
  -- Where the file was written; null: the store of attached files has it.
  path text
);
create index on docket_system.history_export (hash) where path is null;

-- A move back to the state before reads that state from the log. Of records that wait in such a state it stays known without the log.
create table docket_system.previous_state (
  table_id bigint not null,
  record_id text collate "C" not null,
  state text not null,
  previous text,
  primary key (record_id, table_id, state)
);

-- ── changes that only events need ────────────────────────────────────────────────────────────────────────────────────

-- They are found in the order of their positions, which is that of their times: up to here all that are not kept are removed. So no index
-- on the time of the change is written with each of them.
alter table docket_system.change_horizon add column swept_position bigint not null default 499999999999999999;
drop function docket_system.clear_changes(timestamp, integer);
drop index if exists docket_system.change_changed_at_idx;
