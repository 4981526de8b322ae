-- The log of changes: one row for each record that a statement created, changed or deleted, written by that statement. History
-- and the deletion log are views of it; events are streamed and followed collections are led from it.

-- Positions lie above every sys_id of this century, so that history that was brought along (under sys_ids of its own) comes
-- before what the log itself has seen; and apart, so that each column of a change has a number too.
create sequence docket_system.change_position as bigint start 500000000000000000 minvalue 500000000000000000 maxvalue 999999999900000000 increment 100000000;

-- The next position, for a row that is being written now: after whoever changed the same record before has let go of it.
--
-- Positions are taken in one order and become visible in another. So each writing transaction first tells, by a shared
-- advisory lock that lasts as long as it does, a position below all that it will take; docket_system.settled_position()
-- looks at those. Only once a transaction: a load of many rows would fill the lock table.
create function docket_system.take_position() returns bigint language plpgsql volatile as $$
begin
  if coalesce(current_setting('docket.position_floor', true), '') = '' then
    perform pg_advisory_xact_lock_shared(set_config('docket.position_floor',
      coalesce(pg_sequence_last_value('docket_system.change_position'), 499999999999999999)::text, true)::bigint);
  end if;
  return nextval('docket_system.change_position');
end $$;

-- Up to here nothing will be added any more: each position is visible to statements that begin after this one, or never will be.
--
-- Whoever took a position up to `last` had its lock before `last` was read. Is the lock still there, its floor is below
-- that position. Is it gone, the transaction is over, and its rows are visible since before the lock was let go.
create function docket_system.settled_position() returns bigint language plpgsql volatile as $$
declare
  last bigint := coalesce(pg_sequence_last_value('docket_system.change_position'), 499999999999999999);
  floor bigint;
begin
  select min((l.classid::bigint << 32) | l.objid::bigint) into floor
  from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and (l.classid::bigint << 32) | l.objid::bigint between 499999999999999999 and 999999999999999999;
  return least(last, floor);
end $$;

create table docket_system.change (
  position bigint primary key default docket_system.take_position(),
  -- c: created, u: changed, d: deleted
  operation "char" not null check (operation in ('c', 'u', 'd')),
  -- The record's own class.
  table_id bigint not null,
  record_id bigint not null,
  changed_at timestamp(0) not null default docket_system.now_utc(),
  changed_by bigint,
  -- By the dictionary's names, values as the Table API shows stored ones: of a changed record what differs, old and new,
  -- {"state": ["0", "1"]}; of a created one what it was given, {"state": "0"}; of a deleted one all that it had. Never secrets.
  changes jsonb not null,
  -- What the table's is_audit and record_deletion_logging said when it happened.
  audited boolean not null default false,
  deletion_logged boolean not null default false
);
create index on docket_system.change (record_id, position);
create index on docket_system.change (position) where deletion_logged;

-- What came after a position, in order, as far as it is settled. Volatile: the rows are read in a snapshot that is younger than
-- what settled_position saw.
create function docket_system.changes_after(after bigint, most integer) returns setof docket_system.change language plpgsql volatile as $$
declare
  settled bigint := docket_system.settled_position();
begin
  return query select c.* from docket_system.change c where c.position > after and c.position <= settled order by c.position limit most;
end $$;

-- ── history and deletion log, as the Table API serves them ───────────────────────────────────────────────────────────

-- A row for each column of a change. Its sys_id comes from the column's name alone, not from its place among those that
-- changed with it: those may be hidden from whoever reads it.

insert into docket_system.change (position, operation, table_id, record_id, changed_at, changed_by, changes, audited)
select sys_id, 'u', table_id, record_id, sys_created_at, sys_created_by, jsonb_build_object(column_name, jsonb_build_array(old_value, new_value)), true
from docket.sys_history where table_id is not null and record_id is not null and column_name is not null;
drop table docket.sys_history;
do $$
begin
  execute format(
    'create view docket.sys_history as
     select c.position + case when c.position >= 500000000000000000 then abs(hashtextextended(e.column_name, 0) %% 100000000) else 0 end as sys_id, c.changed_at as sys_created_at, c.changed_by as sys_created_by, c.changed_at as sys_updated_at,
            c.changed_by as sys_updated_by, %s::bigint as sys_db_table_id, c.table_id, c.record_id, e.column_name,
            v.old #>> ''{}'' as old_value, v.new #>> ''{}'' as new_value,
            c.position as change_position, c.operation, v.old as old_stored, v.new as new_stored
     from docket_system.change c cross join lateral jsonb_each(c.changes) as e (column_name, stored)
     cross join lateral (select case c.operation when ''u'' then e.stored -> 0 when ''d'' then e.stored end as old,
                                case c.operation when ''u'' then e.stored -> 1 when ''c'' then e.stored end as new) as v
     where c.audited and e.stored <> ''null''', (select sys_id from docket.sys_db_table where name = 'sys_history'));
end $$;

-- History that is brought along from elsewhere: rows are put into the view, and make no event.
create function docket_system.bring_history() returns trigger language plpgsql as $$
begin
  insert into docket_system.change (position, operation, table_id, record_id, changed_at, changed_by, changes, audited)
  values (coalesce(new.sys_id, docket_system.new_sys_id()), 'u', new.table_id, new.record_id,
          coalesce(new.sys_created_at, docket_system.now_utc()), new.sys_created_by,
          jsonb_build_object(new.column_name, jsonb_build_array(new.old_value, new.new_value)), true);
  return new;
end $$;
create trigger bring_history instead of insert on docket.sys_history for each row execute function docket_system.bring_history();

drop table docket.sys_record_deletion_log;
do $$
begin
  execute format(
    'create view docket.sys_record_deletion_log as
     select c.position as sys_id, c.changed_at as sys_created_at, c.changed_by as sys_created_by, c.changed_at as sys_updated_at,
            c.changed_by as sys_updated_by, %s::bigint as sys_db_table_id, c.table_id, c.record_id,
            (select x.shown from docket.sys_db_table t
               join lateral (with recursive line as (
                   select t.sys_id, t.parent_id, 0 as depth
                   union all select p.sys_id, p.parent_id, line.depth + 1 from docket.sys_db_table p join line on line.parent_id = p.sys_id)
                 select c.changes ->> d.column_name as shown from line join docket.sys_db_column d on d.table_id = line.sys_id
                 where d.display_by_ref and d.active order by line.depth limit 1) x on true
             where t.sys_id = c.table_id) as display_value,
            c.changes as "values"
     from docket_system.change c where c.operation = ''d'' and c.deletion_logged',
    (select sys_id from docket.sys_db_table where name = 'sys_record_deletion_log'));
end $$;

-- ── records that SQL writes by itself ────────────────────────────────────────────────────────────────────────────────

-- A row's values as the Table API shows stored ones, by the dictionary's names: what the log holds. Empty ones and secrets are left out.
create function docket_system.stored_values(of_class bigint, stored_row jsonb) returns jsonb language sql stable as $$
  with recursive line as (
    select t.sys_id, t.parent_id from docket.sys_db_table t where t.sys_id = of_class
    union all select p.sys_id, p.parent_id from docket.sys_db_table p join line on line.parent_id = p.sys_id)
  select coalesce(jsonb_object_agg(d.column_name, case
      when y.storage = 'bigint' then to_jsonb(stored_row ->> d.storage_column)
      when y.storage = 'numeric' then to_jsonb(round((stored_row ->> d.storage_column)::numeric, 2)::text)
      when y.storage like 'timestamp%' then to_jsonb(replace(stored_row ->> d.storage_column, 'T', ' '))
      else stored_row -> d.storage_column end), '{}')
  from line join docket.sys_db_column d on d.table_id = line.sys_id join docket.sys_db_column_type y on y.sys_id = d.column_type_id
  where stored_row ->> d.storage_column is not null and y.name not in ('password', 'encrypted')
$$;

-- Notes a record that a function or a script has made, changed or deleted; `old_row` and `new_row` are to_jsonb of the table's row.
create function docket_system.note_change(old_row jsonb, new_row jsonb, by_user bigint) returns void language sql volatile as $$
  insert into docket_system.change (operation, table_id, record_id, changed_by, changes, audited, deletion_logged)
  select case when old_row is null then 'c' when new_row is null then 'd' else 'u' end::"char", t.sys_id,
         (coalesce(new_row, old_row) ->> t.key_column)::bigint, by_user,
         case when old_row is null then n.stored when new_row is null then o.stored else differing.pairs end,
         t.is_audit, new_row is null and t.record_deletion_logging
  from docket.sys_db_table t
    cross join lateral (select docket_system.stored_values(t.sys_id, old_row) as stored) o
    cross join lateral (select docket_system.stored_values(t.sys_id, new_row) as stored) n
    cross join lateral (select coalesce(jsonb_object_agg(name, jsonb_build_array(o.stored -> name, n.stored -> name)), '{}') as pairs
      from jsonb_object_keys(o.stored || n.stored) as name
      where o.stored -> name is distinct from n.stored -> name and name not in ('sys_updated_at', 'sys_updated_by')) as differing
  where t.sys_id = (coalesce(new_row, old_row) ->> 'sys_db_table_id')::bigint
    and (old_row is null or new_row is null or differing.pairs <> '{}')
$$;

create or replace function docket_system.create_queued_records(max_attempts integer) returns integer language plpgsql as $$
declare
  waiting record;
  new_row jsonb;
  made integer := 0;
begin
  for waiting in
    select sys_id, storage_table, record from docket_system.queued_record
    where attempts < max_attempts order by sys_id for update skip locked
  loop
    begin
      execute format('insert into docket.%I as t select (jsonb_populate_record(null::docket.%I, $1)).* returning to_jsonb(t)', waiting.storage_table, waiting.storage_table)
        into new_row using waiting.record;
      perform docket_system.note_change(null, new_row, (new_row ->> 'sys_created_by')::bigint);
      delete from docket_system.queued_record where sys_id = waiting.sys_id;
      made := made + 1;
    exception when others then
      update docket_system.queued_record set attempts = attempts + 1, error = sqlerrm where sys_id = waiting.sys_id;
    end;
  end loop;
  return made;
end $$;
