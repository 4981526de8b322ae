-- Lists of the logs by date cost what a page costs, as those by sys_id do (the log's own position).

create index on docket_system.change (changed_at) where audited;
create index on docket_system.change (changed_at) where deletion_logged;
create index on docket.sys_journal_entry (sys_created_at);

-- Above the first position sys_ids of history are those of the log itself.
create or replace function docket_system.bring_history() returns trigger language plpgsql as $$
begin
  if new.sys_id >= 500000000000000000 then
    raise exception 'history that is brought along has sys_ids below 500000000000000000' using errcode = '22003';
  end if;
  insert into docket_system.change (position, operation, table_id, record_id, changed_at, changed_by, changes, audited)
  values (coalesce(new.sys_id, docket_system.new_sys_id()), 'u', new.table_id, new.record_id,
          coalesce(new.sys_created_at, docket_system.now_utc()), new.sys_created_by,
          jsonb_build_object(new.column_name, jsonb_build_array(new.old_value, new.new_value)), true);
  return new;
end $$;

-- ── events ───────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Positions count every write of everybody: callers get them under this key only (src/records/changes/event-ids.ts).
create table docket_system.event_key (
  only_row boolean primary key default true check (only_row),
  key bytea not null check (length(key) = 32)
);
-- gen_random_uuid takes 122 bits from PostgreSQL's strong random source; three of them hashed together are more than 256.
insert into docket_system.event_key (key)
values (sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'utf8')));

-- A row of a type from values by column, as jsonb_populate_record makes it; a value that fits its column no longer (its type
-- changed since) is left out.
create function docket_system.row_of(of_type anyelement, kept jsonb) returns anyelement language plpgsql stable as $$
declare
  part record;
  fitting jsonb := '{}';
begin
  begin
    return jsonb_populate_record(of_type, kept);
  exception when others then
    for part in select e.key, e.value from jsonb_each(kept) as e loop
      begin
        perform jsonb_populate_record(of_type, jsonb_build_object(part.key, part.value));
        fitting := fitting || jsonb_build_object(part.key, part.value);
      exception when others then null;
      end;
    end loop;
    return jsonb_populate_record(of_type, fitting);
  end;
end $$;

-- The same for a row that has no type of its own: values that can be read as the types named for their columns.
create function docket_system.fitting_values(kept jsonb, types jsonb) returns jsonb language plpgsql stable as $$
declare
  part record;
  fitting jsonb := kept;
begin
  for part in select e.key, e.value #>> '{}' as type from jsonb_each(types) as e where kept ->> e.key is not null loop
    begin
      execute format('select ($1)::%s', part.type) using kept ->> part.key;
    exception when others then
      fitting := fitting - part.key;
    end;
  end loop;
  return fitting;
end $$;

-- ── webhooks ─────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Letters are ordered by the position, and told by the id that callers get.
alter table docket.sys_webhook_delivery rename column event_id to position;
alter table docket.sys_webhook_delivery
  add column event_id text,
  -- Whose rights decided what stands in it.
  add column made_for bigint;
update docket.sys_webhook_delivery d set event_id = d.position::text,
  made_for = (select w.sys_updated_by from docket.sys_webhook w where w.sys_id = d.webhook);
update docket.sys_db_column c set column_type_id = (select sys_id from docket.sys_db_column_type where name = 'string')
from docket.sys_db_table t where t.sys_id = c.table_id and t.name = 'sys_webhook_delivery' and c.column_name = 'event_id';
drop index docket.sys_webhook_delivery_event_id_idx;
create index on docket.sys_webhook_delivery (webhook, (coalesce(next_attempt_at, '-infinity'::timestamp)), position) where state = 'pending';

-- ── followed collections ─────────────────────────────────────────────────────────────────────────────────────────────

-- A document shows columns of its record: who may not read these on the record does not see it.
alter table docket_documents.collection add column acl_columns text[] not null default '{}';

alter table docket_documents.follow
  -- Shown to whoever may read the record, whatever the rules of these columns and of records behind them say.
  add column exposed_columns text[] not null default '{}',
  -- What the dictionary said of the names that are used; when it says something else, all is compared again.
  add column signature text not null default '',
  -- Documents that the comparison under way, and the last one that ended, loaded or removed.
  add column rebuild_mended integer not null default 0,
  add column mended integer not null default 0,
  add column compared_at timestamp(3);

insert into docket.sys_property (name, value, description) values
  ('follow.compare_hours', '24', 'Hours after which a followed collection is compared with its table again; 0: only when asked.');

-- Conditions that others hold: the dictionary does not change so that they lose their meaning.
create view docket_system.held_condition as
select 'The collection ' || c.name || ', which follows ' || f.table_name || ',' as what, f.table_name, f.query as condition
from docket_documents.follow f join docket_documents.collection c on c.id = f.collection_id
where c.removed_position is null and f.query <> '';

-- ── changes of the dictionary ────────────────────────────────────────────────────────────────────────────────────────

-- Columns that were dropped while the log speaks of them.
create table docket_system.gone_column (
  table_id bigint not null,
  column_name text not null,
  primary key (table_id, column_name)
);
