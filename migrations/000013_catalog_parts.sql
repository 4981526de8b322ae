-- What of the dictionary changed, so that a process that knows it as it was reads that and no more: with thousands of tables
-- the whole takes a second (Hasura 9989).

-- For each table that the dictionary is read from, the catalog epoch of its newest change; none: it did not change yet.
create table docket_system.catalog_part (
  name text primary key,
  epoch bigint not null
);

-- Tables of the dictionary of which something was changed (their row, a column, a title), by the catalog epoch of the change;
-- null: any of them. Older ones than the last thousand epochs are cleared away.
create table docket_system.changed_table (
  epoch bigint not null,
  table_id bigint
);
create index on docket_system.changed_table (epoch);

create or replace function docket_system.raise_catalog_epoch() returns trigger language plpgsql as $$
declare
  reached bigint;
begin
  update docket_system.epoch set catalog = catalog + 1 returning catalog into reached;
  insert into docket_system.catalog_part values (tg_table_name, reached) on conflict (name) do update set epoch = reached;
  if tg_op = 'TRUNCATE' then
    insert into docket_system.changed_table values (reached, null);
  end if;
  return null;
end $$;

-- Runs after raise_catalog_epoch of the same statement, as its name sorts: the epoch's row is locked by then, and the epoch is
-- the one under which the change will be seen.
create function docket_system.note_changed_tables() returns trigger language plpgsql as $$
declare
  reached bigint := (select catalog from docket_system.epoch);
begin
  if tg_op in ('INSERT', 'UPDATE') then
    insert into docket_system.changed_table select distinct reached, docket_system.table_of(tg_table_name, to_jsonb(m)) from made m;
  end if;
  if tg_op in ('UPDATE', 'DELETE') then
    insert into docket_system.changed_table select distinct reached, docket_system.table_of(tg_table_name, to_jsonb(g)) from gone g;
  end if;
  -- Titles of what is no table and no column concern nobody who reads the dictionary.
  delete from docket_system.changed_table where epoch < reached - 1000 or (epoch = reached and table_id = 0);
  return null;
end $$;

-- The table of the dictionary that a row of it belongs to; 0: none.
create function docket_system.table_of(of_table text, changed jsonb) returns bigint language sql stable as $$
  select case of_table
    when 'sys_db_table' then (changed ->> 'sys_id')::bigint
    when 'sys_db_column' then (changed ->> 'table_id')::bigint
    else coalesce(
      (select c.table_id from docket.sys_db_column c where c.sys_id = (changed ->> 'record_id')::bigint),
      (select t.sys_id from docket.sys_db_table t where t.sys_id = (changed ->> 'record_id')::bigint), 0)
  end
$$;

do $$
declare
  watched text;
begin
  foreach watched in array array['sys_db_table', 'sys_db_column', 'sys_translated_text'] loop
    execute format('create trigger raise_catalog_epoch_made after insert on docket.%I referencing new table as made for each statement execute function docket_system.note_changed_tables()', watched);
    execute format('create trigger raise_catalog_epoch_changed after update on docket.%I referencing old table as gone new table as made for each statement execute function docket_system.note_changed_tables()', watched);
    execute format('create trigger raise_catalog_epoch_gone after delete on docket.%I referencing old table as gone for each statement execute function docket_system.note_changed_tables()', watched);
  end loop;
end $$;
