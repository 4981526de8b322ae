-- Every change of a record changes sys_updated_at. An index on it is written by every change, and with it all other indexes of the row:
-- PostgreSQL leaves them alone only where no indexed value changes (a HOT update). So order and range of sys_updated_at have a narrow
-- table of their own, which triggers keep equal to the records in the statement that changes them.

-- Tables whose records have rows in updated_record.
create table docket_system.update_order (
  -- The root of the hierarchy that one PostgreSQL table of the schema docket stores.
  table_id bigint primary key,
  storage_table text not null unique,
  -- Whether all records have their row: until then lists read the record's own column.
  ready boolean not null default false,
  -- Earlier records get their rows by a job, in the order of their sys_ids. Those up to this one have them.
  filled_to bigint not null default 0
);

create table docket_system.updated_record (
  table_id bigint not null,
  record_id bigint not null,
  updated_at timestamp(0) not null,
  primary key (table_id, record_id)
) with (autovacuum_vacuum_scale_factor = 0.05, fillfactor = 80);
create index on docket_system.updated_record (table_id, updated_at, record_id);

-- As in functions/: a trigger needs it now.
create function docket_system.note_updates() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    update docket_system.updated_record u set updated_at = new.sys_updated_at
    where u.table_id = tg_argv[0]::bigint and u.record_id = new.sys_id;
    if not found then
      insert into docket_system.updated_record (table_id, record_id, updated_at)
      values (tg_argv[0]::bigint, new.sys_id, new.sys_updated_at)
      on conflict (table_id, record_id) do update set updated_at = excluded.updated_at;
    end if;
  elsif tg_op = 'INSERT' then
    insert into docket_system.updated_record (table_id, record_id, updated_at)
    select tg_argv[0]::bigint, m.sys_id, m.sys_updated_at from made m;
  else
    delete from docket_system.updated_record u using gone g
    where u.table_id = tg_argv[0]::bigint and u.record_id = g.sys_id;
  end if;
  return null;
end $$;

do $$
declare
  task bigint := (select sys_id from docket.sys_db_table where name = 'task');
begin
  execute format('create trigger note_updates_made after insert on docket.task referencing new table as made
    for each statement execute function docket_system.note_updates(%L)', task);
  execute format('create trigger note_updates_changed after update on docket.task
    for each row when (old.sys_updated_at is distinct from new.sys_updated_at) execute function docket_system.note_updates(%L)', task);
  execute format('create trigger note_updates_gone after delete on docket.task referencing old table as gone
    for each statement execute function docket_system.note_updates(%L)', task);
  insert into docket_system.update_order (table_id, storage_table) values (task, 'task');
  -- A table of more than 32 MB is left to the job; its index on sys_updated_at serves until then.
  if pg_relation_size('docket.task') <= 33554432 then
    insert into docket_system.updated_record (table_id, record_id, updated_at) select task, t.sys_id, t.sys_updated_at from docket.task t;
    update docket_system.update_order set ready = true;
    drop index if exists docket.task_sys_updated_at_sys_id_idx;
  end if;
end $$;

-- A changed row finds room on its own page, which a HOT update needs. Rows that are only added need none. Pages that are full already
-- get room when their rows change.
do $$
declare
  place text;
  -- Collected first: tables of the dictionary are among them.
  places text[] := (
    select array_agg(distinct k.oid::regclass::text) from docket.sys_db_table t
      join pg_namespace s on s.nspname = t.storage_schema
      join pg_class k on k.relnamespace = s.oid and k.relname = t.storage_table and k.relkind = 'r'
    where t.storage_schema = 'docket' and t.adopted_key is null and t.name not in ('sys_journal_entry', 'sys_attachment'));
begin
  foreach place in array places loop
    execute format('alter table %s set (fillfactor = 90)', place);
  end loop;
end $$;
